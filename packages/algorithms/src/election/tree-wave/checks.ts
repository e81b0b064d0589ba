import { star, topology, tree } from '@conclave/core/topology';
import type { Mutants } from '../../checks.js';

export const mutants: Mutants = {
  '': {
    // A node by itself. One initiator, so the others must be woken: an inner node, and a leaf.
    systems: () => [
      { topology: topology('edges:a'), budget: {} },
      { topology: tree(2, 5), budget: { initiators: ['a'] } },
      { topology: tree(2, 4), budget: { initiators: ['d'] } },
      { topology: tree(2, 3), budget: { commands: 2 } },
      { topology: star(4), budget: {} },
    ],
  },
};
