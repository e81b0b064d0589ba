import { chain, complete, topology } from '@conclave/core/topology';
import type { Mutants } from '../../../checks.js';

/**
 * Where its mutants are explored, and why those survive that do. On a tree a node hears each search
 * once: the rest of the wave needs a cycle.
 */
export const mutants: Mutants = {
  '': {
    systems: () => [
      { topology: chain(2), budget: { commands: 2 } },
      { topology: chain(3), budget: { commands: 1 } },
      { topology: complete(3), budget: { commands: 1, initiators: ['b', 'c'] } },
      { topology: complete(3), budget: { commands: 2, initiators: ['c'] } },
      {
        topology: topology('edges:a,b,c,d,a-b,b-c,c-a,c-d'),
        budget: { commands: 2, initiators: ['c'] },
      },
    ],
  },
};
