import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useSize } from '../parts/use-size.js';

/** How a picture lies in its frame: `frame = picture · scale + (x, y)`, in pixels. */
export interface Viewport {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

type Point = readonly [x: number, y: number];

export interface Pan {
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
export function useViewport(element: RefObject<SVGSVGElement | null>, picture: Size): Pan {
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
