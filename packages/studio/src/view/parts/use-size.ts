import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Calls `take` with an element when it is drawn first, and whenever its size changes. */
export function useSize<E extends Element>(
  element: RefObject<E | null>,
  take: (element: E) => void,
  inputs: readonly unknown[] = [],
): void {
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    take(current);
    const observer = new ResizeObserver(() => take(current));
    observer.observe(current);
    return () => observer.disconnect();
  }, [...inputs]);
}
