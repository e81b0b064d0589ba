import { because, type NotesByOptions } from '../../../mutation-notes.js';

const reasons = because(
  'A start is no step: a node that waits from the start, without a request, only makes one entry more, which no property counts',
  'starting: always #1 to wanted retarget',
  'starting: always #2 to wanted retarget',
);

/** The reasons for those of its mutants that survive. */
export const mutation: NotesByOptions = { '': { reasons }, 'cancel=true': { reasons } };
