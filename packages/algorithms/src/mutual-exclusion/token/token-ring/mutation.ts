import { because, type NotesByOptions } from '../../../mutation-notes.js';

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': {
    reasons: because(
      'A start is no step: that a node waits unasked from the first shows in one entry more, which nobody counts',
      'starting: always #1 to wanted retarget',
      'starting: always #2 to wanted retarget',
    ),
  },
};
