import { because, type NotesByOptions } from '../../../mutation-notes.js';

const starting = 'member within.starting: always #1';

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': {
    reasons: {
      ...because(
        'That nobody of one role ever wishes breaks no promise, since those of the other role enter',
        'representative client.released: acquire delete-transition',
        'member client.released: acquire delete-transition',
      ),
      'representative between.released: between-acquire between:stamp duplicate-action':
        'Stamps with gaps are in the same order; that its clock never jumps is asked of the messages to a part, not of what the whole tells it',
      ...because(
        'The representative comes first in the ring of its cluster, and puts the token there',
        `${starting} drop-always`,
        `${starting} drop-target`,
        `${starting} to within.wanted retarget`,
        `${starting} to within.held retarget`,
        `${starting} within:passToken drop-action`,
        `${starting} within:passToken duplicate-action`,
        `${starting} within:passToken drop-send`,
        `${starting} within:passToken duplicate-send`,
        `${starting} within:passToken misdirect-send`,
      ),
    },
  },
};
