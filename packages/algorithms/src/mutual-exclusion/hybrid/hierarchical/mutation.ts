import { because, type NotesByOptions } from '../../../mutation-notes.js';

const starting = 'member within.starting: always #1';

/** The systems on which its mutants are explored, and the reasons of those that survive. */
export const mutation: NotesByOptions = {
  '': {
    reasons: {
      ...because(
        'No property requires entries of both roles',
        'representative client.released: acquire delete-transition',
        'member client.released: acquire delete-transition',
      ),
      'representative between.released: between-acquire between:stamp duplicate-action':
        'Time stamps with gaps have the same order; the property of the clock looks at messages to a part, not at the commands that the whole gives it',
      ...because(
        'The representative is the first node of the ring of its cluster, and starts the token',
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
