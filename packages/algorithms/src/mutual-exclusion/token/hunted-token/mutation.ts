import type { NotesByOptions } from '../../../mutation-notes.js';

/** The reasons for those of its mutants that survive. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
};
