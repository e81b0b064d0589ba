import { chain } from '@conclave/core/topology';
import type { Mutants } from '../../../checks.js';

/**
 * In a chain of four a node may request the token for a node that requests it for another one: then
 * a token and a request arrive together.
 */
const trees: Mutants[string]['systems'] = () => [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: chain(3), budget: { commands: 2 } },
  { topology: chain(4), budget: { commands: 1 } },
];

export const mutants: Mutants = {
  'piggyback=true': { systems: trees },
  'greedy=1': { systems: trees },
};
