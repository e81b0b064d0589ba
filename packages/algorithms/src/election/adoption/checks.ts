import { defaultSystems } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import type { Mutants } from '../../checks.js';

export const mutants: Mutants = {
  '': {
    // Only on a cycle are there edges outside the tree.
    systems: (protocol) => [
      ...defaultSystems(protocol),
      { topology: complete(3), budget: { commands: 1 } },
    ],
  },
};
