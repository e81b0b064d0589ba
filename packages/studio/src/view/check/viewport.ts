import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

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

export interface Pan {
  readonly viewport: Signal<Viewport>;
  readonly frame: Signal<Size>;
  /** Whether the last press moved the picture: then it is no click. */
  readonly wasDragged: () => boolean;
  fit(): void;
  zoom(factor: number): void;
  /** Moves the picture as little as needed to show this point of it. */
  reveal(x: number, y: number): void;
  /** The point of the picture below a pointer. */
  pointAt(event: PointerEvent | MouseEvent): readonly [number, number];
}

const margin = 28;
const mostScale = 4;

/** Zoom by wheel and pinch, pan by dragging; the whole picture fits at first. */
export function useViewport(element: RefObject<SVGSVGElement | null>, picture: Size): Pan {
  const viewport = useSignal<Viewport>({ scale: 1, x: 0, y: 0 });
  const frame = useSignal<Size>({ width: 0, height: 0 });
  const touched = useRef(false);
  const dragged = useRef(false);
  const size = useRef(picture);
  size.current = picture;

  const least = () => {
    const { width, height } = frame.peek();
    const fitting = Math.min(
      (width - 2 * margin) / Math.max(1, size.current.width),
      (height - 2 * margin) / Math.max(1, size.current.height),
    );
    return Math.min(1.6, Math.max(0.01, fitting));
  };
  const fit = () => {
    const { width, height } = frame.peek();
    const scale = least();
    touched.current = false;
    viewport.value = {
      scale,
      x: (width - size.current.width * scale) / 2,
      y: (height - size.current.height * scale) / 2,
    };
  };
  const zoomAt = (factor: number, px: number, py: number) => {
    const { scale, x, y } = viewport.peek();
    const next = Math.min(mostScale, Math.max(least() / 2, scale * factor));
    touched.current = true;
    viewport.value = {
      scale: next,
      x: px - ((px - x) * next) / scale,
      y: py - ((py - y) * next) / scale,
    };
  };
  const move = (dx: number, dy: number) => {
    const { scale, x, y } = viewport.peek();
    touched.current = true;
    viewport.value = { scale, x: x + dx, y: y + dy };
  };
  const placeOf = (event: PointerEvent | MouseEvent): readonly [number, number] => {
    const box = element.current?.getBoundingClientRect();
    return [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)];
  };

  useLayoutEffect(() => {
    const svg = element.current;
    if (!svg) return;
    const observer = new ResizeObserver(() => {
      frame.value = { width: svg.clientWidth, height: svg.clientHeight };
      if (!touched.current) fit();
    });
    observer.observe(svg);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(fit, [picture.width, picture.height]);

  useEffect(() => {
    const svg = element.current;
    if (!svg) return;
    const pointers = new Map<number, readonly [number, number]>();
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      zoomAt(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0018)), ...placeOf(event));
    };
    const onDown = (event: PointerEvent) => {
      pointers.set(event.pointerId, placeOf(event));
      dragged.current = false;
    };
    const onMove = (event: PointerEvent) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = placeOf(event);
      const [other] = [...pointers].flatMap(([id, at]) => (id === event.pointerId ? [] : [at]));
      if (!dragged.current && Math.hypot(now[0] - before[0], now[1] - before[1]) < 4) return;
      if (!dragged.current) svg.setPointerCapture(event.pointerId);
      dragged.current = true;
      pointers.set(event.pointerId, now);
      if (other)
        zoomAt(
          distance(now, other) / Math.max(1, distance(before, other)),
          (now[0] + other[0]) / 2,
          (now[1] + other[1]) / 2,
        );
      else move(now[0] - before[0], now[1] - before[1]);
    };
    const onUp = (event: PointerEvent) => pointers.delete(event.pointerId);
    svg.addEventListener('wheel', onWheel, { passive: false });
    svg.addEventListener('pointerdown', onDown);
    svg.addEventListener('pointermove', onMove);
    svg.addEventListener('pointerup', onUp);
    svg.addEventListener('pointercancel', onUp);
    return () => {
      svg.removeEventListener('wheel', onWheel);
      svg.removeEventListener('pointerdown', onDown);
      svg.removeEventListener('pointermove', onMove);
      svg.removeEventListener('pointerup', onUp);
      svg.removeEventListener('pointercancel', onUp);
    };
  }, []);

  return {
    viewport,
    frame,
    wasDragged: () => dragged.current,
    fit,
    zoom: (factor) => zoomAt(factor, frame.peek().width / 2, frame.peek().height / 2),
    reveal: (px, py) => {
      const { scale, x, y } = viewport.peek();
      const { width, height } = frame.peek();
      const [sx, sy] = [px * scale + x, py * scale + y];
      move(clamp(sx, margin, width - margin) - sx, clamp(sy, margin, height - margin) - sy);
    },
    pointAt: (event) => {
      const [sx, sy] = placeOf(event);
      const { scale, x, y } = viewport.peek();
      return [(sx - x) / scale, (sy - y) / scale];
    },
  };
}

const distance = (
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
): number => Math.hypot(x1 - x2, y1 - y2);
const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(most, least), Math.max(least, value));
