/** What a browser does besides drawing: sizes, focus, downloads. */
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

let waiting: (() => void)[] = [];

/**
 * Runs `work` when all views have drawn what changed, before the browser paints it. Work that asks
 * where things are, such as to scroll, belongs here: each question between two drawings lays out
 * the whole page once more.
 */
export function afterDrawing(work: () => void): void {
  if (waiting.push(work) > 1) return;
  queueMicrotask(() => {
    const now = waiting;
    waiting = [];
    for (const one of now) one();
  });
}

/** A handler that gives a signal this value. */
export const assign =
  <T>(signal: { value: T }, value: T) =>
  (): void => {
    signal.value = value;
  };

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

export function download(name: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000); // the browser reads it after the click
}

/**
 * Moves the focus among some parts of an element, by two arrows, which go around, Home and End.
 *
 * @returns the part that has it then; undefined for any other key
 */
export function moveFocus(
  event: KeyboardEvent,
  parts: string,
  [previous, next]: readonly [string, string],
): HTMLElement | undefined {
  const { currentTarget, key } = event;
  if (!(currentTarget instanceof HTMLElement)) return undefined;
  const all = [...currentTarget.querySelectorAll<HTMLElement>(parts)];
  const at = all.findIndex((part) => part.matches(':focus'));
  const to = { [previous]: Math.max(at, 0) - 1, [next]: at + 1, Home: 0, End: -1 }[key];
  if (to === undefined) return undefined;
  event.preventDefault();
  event.stopPropagation(); // elsewhere, arrows step and choose
  const part = all.at(to % all.length);
  part?.focus();
  return part;
}
