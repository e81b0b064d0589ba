import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Dragging moves what is inside a scrolling element. */
export function usePan(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current: element } = frame;
    if (!element) return;
    const ends = new AbortController();
    const { signal } = ends;
    let last: { readonly x: number; readonly y: number } | undefined;
    const onDown = ({ pointerType, button, clientX: x, clientY: y }: PointerEvent) => {
      if (pointerType === 'mouse' && button === 0) last = { x, y }; // touch scrolls by itself
    };
    const onMove = ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!last) return;
      element.scrollBy(last.x - x, last.y - y);
      last = { x, y };
    };
    const onUp = () => {
      last = undefined;
    };
    element.addEventListener('pointerdown', onDown, { signal });
    addEventListener('pointermove', onMove, { signal });
    addEventListener('pointerup', onUp, { signal });
    return () => ends.abort();
  }, [frame]);
}
