import { complete } from '@conclave/core/topology';
import type { Mutants } from '../../checks.js';
import { runsOf } from '../weaker-orders.js';

export const mutants: Mutants = {
  '': {
    systems: () => [
      ...[{}, { commands: 2 }, { duplications: 1 }].map((budget) => ({
        topology: complete(2),
        budget,
      })),
      { topology: complete(3), budget: {} },
      // Only a third member delays a message of which it gets a second copy.
      { topology: complete(3), budget: { initiators: ['a', 'b'], duplications: 1 } },
    ],
  },
};

export const pictures = runsOf('fifo-is-not-causal', 'causal-is-not-total');
