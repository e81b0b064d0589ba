/** The picture of a state graph, and the part of it that is seen. */
import { type ReadonlySignal, type Signal, useComputed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { MarkedRun, StateGraph } from '../../model/state-graph.js';
import type { Category } from '../../model/state-graph-categories.js';
import {
  edgePaths,
  type GraphLayout,
  marksPath,
  nearestWorld,
  onward,
  wayPath,
} from '../../model/state-graph-layout.js';
import { say } from '../../texts/say.js';
import { useViewport, type Viewport, ZoomButtons } from '../parts/viewport.js';

/** In pixels: how near a pointer must be to a world. */
const reach = 14;

export function GraphPicture(props: PictureProps) {
  const { layout, cursor, hovered, description, onGo } = props;
  const element = useRef<SVGSVGElement>(null);
  const pan = useViewport(element, layout);
  const transform = useComputed(() => {
    const { scale, x, y } = pan.place.value;
    return `translate(${x} ${y}) scale(${scale})`;
  });
  const worldAt = (event: PointerEvent | MouseEvent) =>
    nearestWorld(layout, ...pan.pointAt(event), reach / pan.place.peek().scale);
  const drawing = useMemo(() => <GraphDrawing {...props} />, [layout]);
  return (
    <div class="graph-picture">
      <svg
        ref={element}
        class="pans"
        tabindex={0}
        role="application"
        aria-label={say(
          'State graph. Left and right move along an action, up and down within a depth, Enter goes there.',
        )}
        aria-describedby="graph-world"
        onKeyDown={pan.onKeys(() => keysOf(props, pan))}
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
        <g transform={transform}>{drawing}</g>
      </svg>
      <p id="graph-world" class="unseen" aria-live="polite">
        {description}
      </p>
      <div class="graph-zoom card flow">
        <ZoomButtons pan={pan} />
      </div>
    </div>
  );
}

function keysOf(
  { graph, layout, cursor, onGo }: PictureProps,
  pan: Viewport,
): Readonly<Record<string, () => void>> {
  const at = cursor.peek();
  const layer = layout.layers[graph.worlds[at]?.depth ?? 0] ?? [];
  const place = layer.indexOf(at);
  const select = (world: number | undefined) => () => {
    if (world === undefined) return;
    cursor.value = world;
    pan.reveal(layout.x[world] ?? 0, layout.y[world] ?? 0);
  };
  return {
    ArrowLeft: select(at === 0 ? undefined : graph.worlds[at]?.parent),
    ArrowRight: select(onward(graph, layout, at)),
    ArrowUp: select(layer[place - 1]),
    ArrowDown: select(layer[place + 1]),
    Home: select(0),
    Enter: () => onGo(at, false),
  };
}

interface PictureProps {
  readonly graph: StateGraph;
  readonly layout: GraphLayout;
  readonly categories: ReadonlySignal<readonly Category[]>;
  readonly run: ReadonlySignal<MarkedRun>;
  /** The world of the session; undefined where the graph does not have it. */
  readonly present: ReadonlySignal<number | undefined>;
  /** The world that keys move. */
  readonly cursor: Signal<number>;
  readonly hovered: Signal<number | undefined>;
  /** Says the world at the cursor, for those who do not see the picture. */
  readonly description: string;
  readonly onGo: (world: number, opens: boolean) => void;
}

/** The parts of the picture of a graph. Signals redraw those that change. */
function GraphDrawing({ graph, layout, ...signals }: PictureProps) {
  const { categories, run, present, cursor, hovered } = signals;
  const { worlds } = graph;
  const radius = Math.min(8.5, Math.max(6, layout.height / 300));
  const edges = edgePaths(graph, layout, radius);
  const isDense = graph.edges.length > 1500;
  const ids = [...worlds.keys()];
  const quiescent = ids.filter((id) => worlds[id]?.actions === 0);
  const faulty = ids.filter((id) => worlds[id]?.faults.length);
  const end = useComputed(() => (run.value.isBad ? run.value.approach.at(-1) : undefined));
  const ring = (name: string, world: ReadonlySignal<number | undefined>, size: number) => (
    <Ring name={name} world={world} layout={layout} radius={radius * size} />
  );
  return (
    <>
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
      <path class="graph-edges" d={edges.on} style={{ strokeOpacity: isDense ? 0.25 : 0.9 }} />
      <path
        class="graph-edges back"
        d={edges.back}
        style={{ strokeOpacity: isDense ? 0.2 : 0.8 }}
      />
      <Way layout={layout} run={run} radius={radius} />
      <Marks
        categories={categories}
        layout={layout}
        radius={radius}
        isDense={worlds.length > 500}
      />
      <path class="graph-quiescent" d={marksPath('circle', quiescent, layout, radius * 1.55)} />
      <path class="graph-faults" d={marksPath('cross', faulty, layout, radius * 0.55)} />
      {ring('end', end, 2.1)}
      {ring('cursor', cursor, 2.1)}
      {ring('hovered', hovered, 1.8)}
      {ring('present', present, 2.1)}
    </>
  );
}

interface Drawn extends Pick<PictureProps, 'layout'> {
  readonly radius: number;
}

interface MarksProps extends Drawn, Pick<PictureProps, 'categories'> {
  readonly isDense: boolean;
}

/** Where worlds are dense, an outline would hide their colour. */
const Marks = ({ categories, layout, radius, isDense }: MarksProps) => (
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

function Way({ layout, run, radius }: Drawn & Pick<PictureProps, 'run'>) {
  const { approach, loop, isBad } = run.value;
  return (
    <g class={`graph-way ${isBad ? 'bad' : ''}`}>
      <path d={wayPath(layout, approach, radius)} />
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

interface RingProps extends Drawn {
  readonly name: string;
  readonly world: ReadonlySignal<number | undefined>;
}

const Ring = ({ name, world: { value: world }, layout: { x, y }, radius }: RingProps) =>
  world === undefined ? null : (
    <circle class={`graph-ring ${name}`} cx={x[world]} cy={y[world]} r={radius} />
  );
