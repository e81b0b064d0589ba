import { signal } from '@preact/signals';
import type { Link, Notes } from '../../link/link.js';
import { frame } from '../studio.js';

export type Panel = NonNullable<Link['panels']>[number];

export const usualPanels: readonly Panel[] = ['network', 'chart'];

/** The note on the world after so many steps; one stays until the next. */
export function noteAt(notes: Notes, depth: number): string | undefined {
  const before = Object.keys(notes).filter((step) => Number(step) <= depth);
  return before.length === 0 ? undefined : notes[Math.max(...before.map(Number))];
}

/** With another note on the world after so many steps; an empty text is none. */
export function withNote(notes: Notes, depth: number, text: string): Notes {
  const { [depth]: _, ...others } = notes;
  return text.trim() === '' ? others : { ...others, [depth]: text };
}

/** Whether a presentation shows nothing: then the hall looks at the one who speaks. */
export const blank = signal(false);

/** Blanks the screen by B and the point, and shows it again by any key; says whether it did. */
export function blanks(key: string): boolean {
  const isBlank = blank.value;
  blank.value = !isBlank && frame.value.as === 'presentation' && /^[bB.]$/.test(key);
  return isBlank || blank.value;
}

/** Back to the whole studio; where it is a presentation. Says whether it was one. */
export function leave(): boolean {
  const { as, ...others } = frame.value;
  if (as !== 'presentation') return false;
  frame.value = others;
  if (document.fullscreenElement) void document.exitFullscreen();
  return true;
}
