import { because, type Mutants } from '../../../checks.js';

export const mutants: Mutants = {
  '': {
    reasons: {
      ...because(
        'No property requires entries of both roles',
        '* client.released: acquire delete-transition',
      ),
      'representative between.released: between-acquire between:stamp duplicate-action':
        'Time stamps with gaps have the same order; the property of the clock looks at messages to a part, not at the commands that the whole gives it',
      ...because(
        'The representative is the first node of the ring of its cluster, and starts the token',
        'unreached',
      ),
    },
  },
};
