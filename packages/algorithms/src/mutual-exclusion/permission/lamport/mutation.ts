import type { NotesByOptions } from '../../../mutation-notes.js';

/** The systems on which its mutants are explored, and why some survive. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
};
