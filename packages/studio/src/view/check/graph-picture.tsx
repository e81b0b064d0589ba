import { type ReadonlySignal, type Signal, useComputed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { Category } from '../../model/graph-colours.js';
import { edgePaths, marksPath, nearestWorld, wayPath } from '../../model/graph-paths.js';
import type { RunInGraph } from '../../model/run-in-graph.js';
import type { StateGraph } from '../../model/state-graph.js';
import type { GraphLayout } from '../../model/state-graph-layout.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { useViewport } from './viewport.js';

export interface PictureProps {
  readonly graph: StateGraph;
  readonly layout: GraphLayout;
  readonly categories: ReadonlySignal<readonly Category[]>;
  /** The run that is marked. */
  readonly run: ReadonlySignal<RunInGraph & { readonly isBad: boolean }>;
  /** The world of the session; undefined where the graph does not have it. */
  readonly present: ReadonlySignal<number | undefined>;
  /** The world that keys move. */
  readonly cursor: Signal<number>;
  readonly hovered: Signal<number | undefined>;
  /** Says the world at the cursor, for those who do not see the picture. */
  readonly description: string;
  readonly onGo: (world: number, opens: boolean) => void;
}

/** In pixels: how near a pointer must be to a world. */
const reach = 14;

export function GraphPicture(props: PictureProps) {
  const { graph, layout, cursor, hovered, description, onGo } = props;
  const element = useRef<SVGSVGElement>(null);
  const pan = useViewport(element, layout);
  const transform = useComputed(() => {
    const { scale, x, y } = pan.viewport.value;
    return `translate(${x} ${y}) scale(${scale})`;
  });
  const worldAt = (event: PointerEvent | MouseEvent) =>
    nearestWorld(layout, ...pan.pointAt(event), reach / pan.viewport.peek().scale);
  const select = (world: number | undefined) => {
    if (world === undefined) return;
    cursor.value = world;
    pan.reveal(layout.x[world] ?? 0, layout.y[world] ?? 0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = cursor.peek();
    const layer = layout.layers[graph.worlds[at]?.depth ?? 0] ?? [];
    const place = layer.indexOf(at);
    const keys: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => select(at === 0 ? undefined : graph.worlds[at]?.parent),
      ArrowRight: () => select(onward(graph, layout, at)),
      ArrowUp: () => select(layer[place - 1]),
      ArrowDown: () => select(layer[place + 1]),
      Home: () => select(0),
      Enter: () => onGo(at, false),
      '+': () => pan.zoom(1.25),
      '=': () => pan.zoom(1.25),
      '-': () => pan.zoom(0.8),
      '0': pan.fit,
    };
    const act = keys[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation(); // the page's keys step through the run
  };
  return (
    <div class="graph-picture">
      <svg
        ref={element}
        tabindex={0}
        role="application"
        aria-label="State graph. Left and right move along an action, up and down within a depth, Enter goes there."
        aria-describedby="graph-world"
        onKeyDown={onKeyDown}
        onPointerMove={(event) => {
          hovered.value = worldAt(event);
        }}
        onPointerLeave={() => {
          hovered.value = undefined;
        }}
        onClick={(event) => {
          const world = pan.wasDragged() ? undefined : worldAt(event);
          if (world === undefined) return;
          cursor.value = world;
          onGo(world, false);
        }}
        onDblClick={(event) => {
          const world = worldAt(event);
          if (world !== undefined) onGo(world, true);
        }}
      >
        <defs>
          <marker
            id="graph-arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="4"
            markerHeight="4"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        <g transform={transform}>
          <Drawn {...props} />
        </g>
      </svg>
      <p id="graph-world" class="unseen" aria-live="polite">
        {description}
      </p>
      <div class="graph-zoom">
        <Button kind="quiet" title="Zoom in" onClick={() => pan.zoom(1.25)}>
          <Icon name="plus" />
        </Button>
        <Button kind="quiet" title="Zoom out" onClick={() => pan.zoom(0.8)}>
          <Icon name="minus" />
        </Button>
        <Button kind="quiet" title="Show the whole graph" onClick={pan.fit}>
          <Icon name="enlarge" />
        </Button>
      </div>
    </div>
  );
}

/** The nearest world one action further; the first that an action leads to, if none is deeper. */
function onward({ worlds, edges }: StateGraph, { y }: GraphLayout, at: number): number | undefined {
  const targets = edges.flatMap(({ from, to }) => (from === at && to !== at ? [to] : []));
  const deeper = targets.filter((to) => (worlds[to]?.depth ?? 0) > (worlds[at]?.depth ?? 0));
  const distance = (to: number) => Math.abs((y[to] ?? 0) - (y[at] ?? 0));
  return deeper.sort((one, other) => distance(one) - distance(other))[0] ?? targets[0];
}

/** The parts of the picture, each redrawn only when it changes. */
function Drawn({ graph, layout, categories, run, present, cursor, hovered }: PictureProps) {
  const radius = useMemo(() => Math.min(8.5, Math.max(6, layout.height / 300)), [layout]);
  const edges = useMemo(() => edgePaths(graph, layout, radius), [layout]);
  const quiescent = useMemo(
    () => [...graph.worlds.keys()].filter((id) => graph.worlds[id]?.actions === 0),
    [graph],
  );
  const faulty = useMemo(
    () => [...graph.worlds.keys()].filter((id) => (graph.worlds[id]?.faults.length ?? 0) > 0),
    [graph],
  );
  const crosses = useMemo(
    () => faulty.map((id) => cross(layout.x[id] ?? 0, layout.y[id] ?? 0, radius)).join(''),
    [layout],
  );
  const quiet = useMemo(() => marksPath('circle', quiescent, layout, radius * 1.55), [layout]);
  const end = useComputed(() => (run.value.isBad ? run.value.way.at(-1) : undefined));
  const marks = useMemo(
    () => (
      <Marks
        categories={categories}
        layout={layout}
        radius={radius}
        isDense={graph.worlds.length > 500}
      />
    ),
    [layout],
  );
  return (
    <>
      <path
        class="graph-edges"
        d={edges.on}
        style={{ strokeOpacity: graph.edges.length > 1500 ? 0.25 : 0.9 }}
      />
      <path
        class="graph-edges back"
        d={edges.back}
        style={{ strokeOpacity: graph.edges.length > 1500 ? 0.2 : 0.8 }}
      />
      <Way layout={layout} run={run} radius={radius} />
      {marks}
      <path class="graph-quiescent" d={quiet} />
      <path class="graph-faults" d={crosses} />
      <Ring name="end" world={end} layout={layout} radius={radius * 2.1} />
      <Ring name="cursor" world={cursor} layout={layout} radius={radius * 2.1} />
      <Ring name="hovered" world={hovered} layout={layout} radius={radius * 1.8} />
      <Ring name="present" world={present} layout={layout} radius={radius * 2.1} />
    </>
  );
}

const cross = (x: number, y: number, radius: number): string => {
  const r = radius * 0.55;
  return `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`;
};

type MarksProps = Pick<PictureProps, 'categories' | 'layout'> & {
  readonly radius: number;
  readonly isDense: boolean;
};

/** Where worlds are dense, an outline would hide their colour. */
function Marks({ categories, layout, radius, isDense }: MarksProps) {
  return (
    <>
      {categories.value.map(({ text, colour, shape, worlds }) => (
        <path
          key={text}
          class="graph-marks"
          style={{ fill: `var(--${colour})`, ...(isDense && { strokeWidth: 0.2 }) }}
          d={marksPath(shape, worlds, layout, radius)}
        />
      ))}
    </>
  );
}

function Way({
  layout,
  run,
  radius,
}: Pick<PictureProps, 'layout' | 'run'> & { readonly radius: number }) {
  const { way, loop, isBad } = run.value;
  return (
    <g class={`graph-way ${isBad ? 'bad' : ''}`}>
      <path d={wayPath(layout, way, radius)} />
      {loop.slice(1).map((to, index) => (
        <path
          key={`${index} ${to}`}
          class="loop"
          d={wayPath(layout, [loop[index] ?? to, to], radius)}
          marker-end="url(#graph-arrow)"
        />
      ))}
    </g>
  );
}

interface RingProps {
  readonly name: string;
  readonly world: ReadonlySignal<number | undefined>;
  readonly layout: GraphLayout;
  readonly radius: number;
}

function Ring({ name, world: { value: world }, layout: { x, y }, radius }: RingProps) {
  return world === undefined ? null : (
    <circle class={`graph-ring ${name}`} cx={x[world]} cy={y[world]} r={radius} />
  );
}
