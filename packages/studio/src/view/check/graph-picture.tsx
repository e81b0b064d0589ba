import { type ReadonlySignal, type Signal, useComputed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { Category } from '../../model/graph-colours.js';
import { nearestWorld, onward } from '../../model/graph-paths.js';
import type { MarkedRun } from '../../model/run-in-graph.js';
import type { StateGraph } from '../../model/state-graph.js';
import type { GraphLayout } from '../../model/state-graph-layout.js';
import { Button } from '../parts/button.js';
import { GraphDrawing } from './graph-drawing.js';
import { useViewport } from './viewport.js';

export interface PictureProps {
  readonly graph: StateGraph;
  readonly layout: GraphLayout;
  readonly categories: ReadonlySignal<readonly Category[]>;
  /** The run that is marked. */
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

/** In pixels: how near a pointer must be to a world. */
const reach = 14;

export function GraphPicture(props: PictureProps) {
  const { layout, cursor, hovered, description, onGo } = props;
  const element = useRef<SVGSVGElement>(null);
  const pan = useViewport(element, layout);
  const transform = useComputed(() => {
    const { scale, x, y } = pan.viewport.value;
    return `translate(${x} ${y}) scale(${scale})`;
  });
  const worldAt = (event: PointerEvent | MouseEvent) =>
    nearestWorld(layout, ...pan.pointAt(event), reach / pan.viewport.peek().scale);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keysOf(props, pan)[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation(); // the page's keys step through the run
  };
  const drawing = useMemo(() => <GraphDrawing {...props} />, [layout]);
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
        <g transform={transform}>{drawing}</g>
      </svg>
      <p id="graph-world" class="unseen" aria-live="polite">
        {description}
      </p>
      <div class="graph-zoom card flow">
        <Button kind="quiet" icon="plus" title="Zoom in" onClick={() => pan.zoom(1.25)} />
        <Button kind="quiet" icon="minus" title="Zoom out" onClick={() => pan.zoom(0.8)} />
        <Button kind="quiet" icon="enlarge" title="Show the whole graph" onClick={pan.fit} />
      </div>
    </div>
  );
}

/** What each key does. */
function keysOf(
  { graph, layout, cursor, onGo }: PictureProps,
  pan: ReturnType<typeof useViewport>,
): Readonly<Record<string, () => void>> {
  const at = cursor.peek();
  const layer = layout.layers[graph.worlds[at]?.depth ?? 0] ?? [];
  const place = layer.indexOf(at);
  const select = (world: number | undefined) => () => {
    if (world === undefined) return;
    cursor.value = world;
    pan.reveal(layout.x[world] ?? 0, layout.y[world] ?? 0);
  };
  const larger = () => pan.zoom(1.25);
  return {
    ArrowLeft: select(at === 0 ? undefined : graph.worlds[at]?.parent),
    ArrowRight: select(onward(graph, layout, at)),
    ArrowUp: select(layer[place - 1]),
    ArrowDown: select(layer[place + 1]),
    Home: select(0),
    Enter: () => onGo(at, false),
    '+': larger,
    '=': larger,
    '-': () => pan.zoom(0.8),
    '0': pan.fit,
  };
}
