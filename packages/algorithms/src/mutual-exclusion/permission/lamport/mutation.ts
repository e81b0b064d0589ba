import type { NotesByOptions } from '../../../mutation-notes.js';

/** The systems on which its mutants are explored, and why some survive. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
  // some show only where both nodes may request twice
  'cancel=true': { states: 50_000, reasons: {} },
};
