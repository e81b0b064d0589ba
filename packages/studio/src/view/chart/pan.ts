import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Dragging moves what is inside a scrolling element. */
export function usePan(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let last: { readonly x: number; readonly y: number } | undefined;
    const down = (event: PointerEvent) => {
      if (event.pointerType !== 'mouse' || event.button !== 0) return; // touch scrolls by itself
      last = { x: event.clientX, y: event.clientY };
    };
    const move = (event: PointerEvent) => {
      if (!last) return;
      element.scrollLeft -= event.clientX - last.x;
      element.scrollTop -= event.clientY - last.y;
      last = { x: event.clientX, y: event.clientY };
    };
    const up = () => {
      last = undefined;
    };
    element.addEventListener('pointerdown', down);
    addEventListener('pointermove', move);
    addEventListener('pointerup', up);
    return () => {
      element.removeEventListener('pointerdown', down);
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', up);
    };
  }, [frame]);
}
