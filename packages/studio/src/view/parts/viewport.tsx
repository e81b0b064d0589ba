/**
 * The part of a picture that is seen: zoom by wheel, pinch, keys and buttons, pan by dragging. Not
 * by a library: those at hand move an element by CSS, and take clicks and the zoom of a
 * presentation amiss.
 */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Size } from '../../model/network-layout.js';
import { say } from '../../texts/say.js';
import { Button } from './controls.js';
import { useSize } from './dom.js';

/** From a picture to its frame: `frame = picture · scale + (x, y)`, in pixels. */
interface Transform {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

type Point = readonly [x: number, y: number];
/** What shows a part of the picture. */
type Frame = Element & GlobalEventHandlers;

export interface Viewport {
  readonly place: ReadonlySignal<Transform>;
  /** Whether the last press moved the picture: then it is no click. */
  readonly wasDragged: () => boolean;
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
  /** Moves the picture as little as needed to show this point of it; or as it opens, if no user has moved it. */
  readonly reveal: (x: number, y: number) => void;
  readonly pointAt: (event: PointerEvent | MouseEvent) => Point;
  /** What keys do in the picture: by `more`, or to its part that is seen. */
  readonly onKeys: (more?: () => Keys) => (event: KeyboardEvent) => void;
}

type Keys = Readonly<Record<string, () => void>>;

const margin = 28;
const mostScale = 4;

/** @param opening how large it opens, given the scale that fits, and around which point */
export function useViewport(
  element: RefObject<Frame | null>,
  picture: Size,
  opening?: (fit: number) => { readonly scale: number; readonly at: Point },
): Viewport {
  const place = useSignal<Transform>({ scale: 1, x: 0, y: 0 });
  const isTouched = useRef(false);
  const given = useRef({ picture, opening });
  given.current = { picture, opening };

  const frame = (): Size => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = element.current ?? {};
    return { width, height };
  };
  const fitting = () => fittingScale(frame(), given.current.picture);
  const around = (scale: number, at: Point) => centred(frame(), given.current.picture, scale, at);
  const fit = () => {
    isTouched.current = opening !== undefined;
    place.value = around(fitting(), [0, 0]);
  };
  const open = () => {
    const { scale, at } = given.current.opening?.(fitting()) ?? { scale: fitting(), at: [0, 0] };
    isTouched.current = false;
    place.value = around(scale, [at[0] ?? 0, at[1] ?? 0]);
  };
  const zoomAt = (factor: number, [px, py]: Point) => {
    const { scale, x, y } = place.peek();
    const next = clamp(scale * factor, fitting() / 2, mostScale);
    isTouched.current = true;
    place.value = {
      scale: next,
      x: px - ((px - x) * next) / scale,
      y: py - ((py - y) * next) / scale,
    };
  };
  const move = (dx: number, dy: number) => {
    const { scale, x, y } = place.peek();
    isTouched.current = true;
    place.value = { scale, x: x + dx, y: y + dy };
  };
  useSize(element, () => isTouched.current || open());
  useLayoutEffect(open, [picture]);
  const wasDragged = useGestures(element, zoomAt, move);
  const zoom = (factor: number) => zoomAt(factor, [frame().width / 2, frame().height / 2]);
  const [larger, smaller] = [() => zoom(1.25), () => zoom(0.8)];
  const keys: Keys = { '+': larger, '=': larger, '-': smaller, '0': fit };
  return {
    ...{ place, wasDragged, fit, zoom },
    reveal: (px, py) => {
      if (given.current.opening && !isTouched.current) return open();
      const { scale, x, y } = place.peek();
      const { width, height } = frame();
      const [sx, sy] = [px * scale + x, py * scale + y];
      move(clamp(sx, margin, width - margin) - sx, clamp(sy, margin, height - margin) - sy);
    },
    pointAt: (event) => {
      const [sx, sy] = placeOf(event, element.current);
      const { scale, x, y } = place.peek();
      return [(sx - x) / scale, (sy - y) / scale];
    },
    onKeys: (more) => (event) => press(event, { ...keys, ...more?.() }),
  };
}

function press(event: KeyboardEvent, { [event.key]: act }: Keys): void {
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  act();
  event.preventDefault();
  event.stopPropagation(); // the page's keys step through the run
}

/** At which the whole picture is seen. */
function fittingScale({ width, height }: Size, picture: Size): number {
  const across = (width - 2 * margin) / Math.max(1, picture.width);
  return clamp(Math.min(across, (height - 2 * margin) / Math.max(1, picture.height)), 0.01, 2.5);
}

/** With this point in the middle, as far as the picture then fills its frame. */
function centred({ width, height }: Size, picture: Size, scale: number, [x, y]: Point): Transform {
  const along = (room: number, length: number, point: number) =>
    length * scale < room
      ? (room - length * scale) / 2
      : clamp(room / 2 - point * scale, room - length * scale - margin / 2, margin / 2);
  return { scale, x: along(width, picture.width, x), y: along(height, picture.height, y) };
}

export const ZoomButtons = ({ pan }: { readonly pan: Pick<Viewport, 'zoom' | 'fit'> }) => (
  <>
    <Button icon="plus" title={say('Zoom in (+)')} onClick={() => pan.zoom(1.25)} />
    <Button icon="minus" title={say('Zoom out (−)')} onClick={() => pan.zoom(0.8)} />
    <Button kind="quiet" title={say('Show the whole picture (0)')} onClick={pan.fit}>
      {say('Fit')}
    </Button>
  </>
);

/** Wheel, pinch and drag; whether the last press was a drag. */
function useGestures(
  element: RefObject<Frame | null>,
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
  if (!element) return [0, 0];
  const { left, top, width } = element.getBoundingClientRect();
  const zoomed = width / element.clientWidth || 1; // by the style sheet of a presentation
  return [(clientX - left) / zoomed, (clientY - top) / zoomed];
}

const distance = ([x1, y1]: Point, [x2, y2]: Point): number => Math.hypot(x1 - x2, y1 - y2);
const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(most, least), Math.max(least, value));
