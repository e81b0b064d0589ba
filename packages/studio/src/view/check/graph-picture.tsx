import { useComputed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { nearestWorld, onward } from '../../model/graph-paths.js';
import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';
import { GraphDrawing, type PictureProps } from './graph-drawing.js';
import { useViewport } from './viewport.js';

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
        aria-label={say(
          'State graph. Left and right move along an action, up and down within a depth, Enter goes there.',
        )}
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
        <Button kind="quiet" icon="plus" title={say('Zoom in')} onClick={() => pan.zoom(1.25)} />
        <Button kind="quiet" icon="minus" title={say('Zoom out')} onClick={() => pan.zoom(0.8)} />
        <Button kind="quiet" icon="enlarge" title={say('Show the whole graph')} onClick={pan.fit} />
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
