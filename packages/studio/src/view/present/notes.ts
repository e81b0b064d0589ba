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

/** Back to the whole studio; where it is a presentation. Says whether it was one. */
export function leave(): boolean {
  const { as, ...others } = frame.value;
  if (as !== 'presentation') return false;
  frame.value = others;
  if (document.fullscreenElement) void document.exitFullscreen();
  return true;
}
