import type { NotesByOptions } from '../../../mutation-notes.js';

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
};
