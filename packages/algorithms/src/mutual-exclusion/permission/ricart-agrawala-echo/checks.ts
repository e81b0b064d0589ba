import { defaultSystems } from '@conclave/core/mutation';
import { chain, complete } from '@conclave/core/topology';
import type { Mutants } from '../../../checks.js';

/**
 * The systems on which its mutants are explored: a triangle, too, where a wave reaches a node by
 * two paths. All are noticed there.
 */
export const mutants: Mutants = {
  '': {
    systems: (protocol) => [
      ...defaultSystems(protocol, { topologies: [chain(2), chain(3)], commands: [1] }),
      { topology: chain(2), budget: { commands: 2 } },
      { topology: complete(3), budget: { initiators: ['a', 'b'] } },
    ],
  },
};
