import { grid } from '@conclave/core/topology';
import { because, type Mutants } from '../../checks.js';

export const mutants: Mutants = {
  '': {
    // The smallest grid with border nodes is 2 × 3.
    systems: () => [
      ...['a', 'a d'].map((ids) => ({
        topology: grid(2, 2),
        budget: { initiators: ids.split(' ') },
      })),
      { topology: grid(2, 3), budget: { initiators: ['b'] } },
    ],
    states: 60_000,
    reasons: because(
      'An interior node needs 3 × 3 nodes, which have too many states for mutants; npm run verify explores them',
      'unreached',
    ),
  },
};
