import { chain } from '@conclave/core/topology';
import type { Mutants } from '../../../checks.js';

/**
 * Where its mutants are explored, and why those survive that do. A search overtakes an earlier one
 * of the same node only where that node enters twice.
 */
export const mutants: Mutants = {
  '': {
    systems: () => [
      { topology: chain(2), budget: { commands: 2 } },
      { topology: chain(3), budget: { commands: 2 } },
    ],
  },
};
