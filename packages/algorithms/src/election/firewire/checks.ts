import type { MutationSystem } from '@conclave/core/mutation';
import { chain, star } from '@conclave/core/topology';
import type { Mutants } from '../../checks.js';

/**
 * A node alone, a root with two children, a root that is a leaf, and a node with three neighbours.
 */
const systems = (): readonly MutationSystem[] => [
  { topology: chain(1) },
  { topology: chain(2), budget: { commands: 2 } },
  { topology: chain(3) },
  { topology: chain(4), budget: { initiators: ['b'] } },
  { topology: star(4), budget: { initiators: ['a', 'b'] } },
];

export const mutants: Mutants = {
  '': { systems },
  'tieBreak=id': { systems },
};
