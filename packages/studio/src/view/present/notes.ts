import type { Notes, Panel } from '../../link/link.js';

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
