/** The picture of a state graph, and the part of it that is seen. */
import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { MarkedRun } from '../../model/run-in-graph.js';
import type { StateGraph } from '../../model/state-graph.js';
import {
  type Category,
  edgePaths,
  type GraphLayout,
  marksPath,
  nearestWorld,
  onward,
  wayPath,
} from '../../model/state-graph-layout.js';
import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';
import { useSize } from '../parts/dom.js';

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

interface PictureProps {
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
  const end = useComputed(() => (run.value.isBad ? run.value.way.at(-1) : undefined));
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

interface RingProps extends Drawn {
  readonly name: string;
  readonly world: ReadonlySignal<number | undefined>;
}

const Ring = ({ name, world: { value: world }, layout: { x, y }, radius }: RingProps) =>
  world === undefined ? null : (
    <circle class={`graph-ring ${name}`} cx={x[world]} cy={y[world]} r={radius} />
  );

/** How a picture lies in its frame: `frame = picture · scale + (x, y)`, in pixels. */
interface Viewport {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

type Point = readonly [x: number, y: number];

interface Pan {
  readonly viewport: Signal<Viewport>;
  /** Whether the last press moved the picture: then it is no click. */
  readonly wasDragged: () => boolean;
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
  /** Moves the picture as little as needed to show this point of it. */
  readonly reveal: (x: number, y: number) => void;
  /** The point of the picture below a pointer. */
  readonly pointAt: (event: PointerEvent | MouseEvent) => Point;
}

const margin = 28;
const mostScale = 4;

/** Zoom by wheel and pinch, pan by dragging; the whole picture fits at first. */
function useViewport(element: RefObject<SVGSVGElement | null>, picture: Size): Pan {
  const viewport = useSignal<Viewport>({ scale: 1, x: 0, y: 0 });
  const isTouched = useRef(false);
  const size = useRef(picture);
  size.current = picture;

  const frame = (): Size => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = element.current ?? {};
    return { width, height };
  };
  const fitting = (): Viewport => {
    const [{ width, height }, { current: inner }] = [frame(), size];
    const scale = Math.min(
      (width - 2 * margin) / Math.max(1, inner.width),
      (height - 2 * margin) / Math.max(1, inner.height),
    );
    const least = clamp(scale, 0.01, 1.6);
    return {
      scale: least,
      x: (width - inner.width * least) / 2,
      y: (height - inner.height * least) / 2,
    };
  };
  const fit = () => {
    isTouched.current = false;
    viewport.value = fitting();
  };
  const zoomAt = (factor: number, [px, py]: Point) => {
    const { scale, x, y } = viewport.peek();
    const next = clamp(scale * factor, fitting().scale / 2, mostScale);
    isTouched.current = true;
    viewport.value = {
      scale: next,
      x: px - ((px - x) * next) / scale,
      y: py - ((py - y) * next) / scale,
    };
  };
  const move = (dx: number, dy: number) => {
    const { scale, x, y } = viewport.peek();
    isTouched.current = true;
    viewport.value = { scale, x: x + dx, y: y + dy };
  };
  useSize(element, () => isTouched.current || fit());
  useLayoutEffect(fit, [picture]);
  const wasDragged = useGestures(element, zoomAt, move);

  return {
    ...{ viewport, wasDragged, fit },
    zoom: (factor) => zoomAt(factor, [frame().width / 2, frame().height / 2]),
    reveal: (px, py) => {
      const { scale, x, y } = viewport.peek();
      const { width, height } = frame();
      const [sx, sy] = [px * scale + x, py * scale + y];
      move(clamp(sx, margin, width - margin) - sx, clamp(sy, margin, height - margin) - sy);
    },
    pointAt: (event) => {
      const [sx, sy] = placeOf(event, element.current);
      const { scale, x, y } = viewport.peek();
      return [(sx - x) / scale, (sy - y) / scale];
    },
  };
}

/** Wheel, pinch and drag; whether the last press was a drag. */
function useGestures(
  element: RefObject<SVGSVGElement | null>,
  zoomAt: (factor: number, point: Point) => void,
  move: (dx: number, dy: number) => void,
): () => boolean {
  const isDragged = useRef(false);
  useEffect(() => {
    const { current: svg } = element;
    if (!svg) return;
    const ends = new AbortController();
    const { signal } = ends;
    const pointers = new Map<number, Point>();
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const speed = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 0.05 : 0.0018;
      zoomAt(Math.exp(-event.deltaY * speed), placeOf(event, svg));
    };
    const onDown = (event: PointerEvent) => {
      pointers.set(event.pointerId, placeOf(event, svg));
      isDragged.current = false;
    };
    const onMove = (event: PointerEvent) => {
      const { pointerId } = event;
      const before = pointers.get(pointerId);
      if (!before) return;
      const now = placeOf(event, svg);
      if (!isDragged.current && distance(now, before) < 4) return;
      if (!isDragged.current) svg.setPointerCapture(pointerId);
      isDragged.current = true;
      pointers.set(pointerId, now);
      const other = [...pointers].find(([id]) => id !== pointerId)?.[1];
      if (!other) return move(now[0] - before[0], now[1] - before[1]);
      zoomAt(distance(now, other) / Math.max(1, distance(before, other)), [
        (now[0] + other[0]) / 2,
        (now[1] + other[1]) / 2,
      ]);
    };
    const onUp = ({ pointerId }: PointerEvent) => pointers.delete(pointerId);
    svg.addEventListener('wheel', onWheel, { passive: false, signal });
    svg.addEventListener('pointerdown', onDown, { signal });
    svg.addEventListener('pointermove', onMove, { signal });
    svg.addEventListener('pointerup', onUp, { signal });
    svg.addEventListener('pointercancel', onUp, { signal });
    return () => ends.abort();
  }, []);
  return () => isDragged.current;
}

/** Where a pointer is in an element. */
function placeOf({ clientX, clientY }: MouseEvent, element: Element | null): Point {
  const { left = 0, top = 0 } = element?.getBoundingClientRect() ?? {};
  return [clientX - left, clientY - top];
}

const distance = ([x1, y1]: Point, [x2, y2]: Point): number => Math.hypot(x1 - x2, y1 - y2);
const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(most, least), Math.max(least, value));
