import { complete } from '@conclave/core/topology';
import type { Mutants } from '../../../checks.js';

export const mutants: Mutants = {
  '': {
    systems: () => [
      { topology: complete(2), budget: { commands: 2 } },
      { topology: complete(2), budget: { commands: 2, crashes: 1 } },
      { topology: complete(3), budget: { initiators: ['b', 'c'] } },
    ],
    parts: ['group'],
  },
};
