import { chain, complete, topology } from '@conclave/core/topology';
import type { Mutants } from '../../../checks.js';

/** A square with a diagonal: some news reach a node that has asked. */
const diamond = topology('edges:a-b,b-c,c-d,d-a,a-c');

/** Without a cycle there are no neighbours to tell. */
const cycles = () => [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: complete(3), budget: { commands: 1 } },
  { topology: complete(3), budget: { commands: 2 } },
  { topology: diamond, budget: { commands: 1 } },
];

export const mutants: Mutants = {
  // Two explorers cross in a triangle, and in a chain of three a request may overtake an echo.
  '': {
    systems: () => [...cycles(), { topology: chain(3), budget: { commands: 1 } }],
  },
  'reversal=acknowledged startUp=given': { systems: cycles },
  'reversal=numbered startUp=given': { systems: cycles },
  'edge=any startUp=given': {
    systems: () => [...cycles().slice(0, 2), { topology: chain(3), budget: { commands: 2 } }],
  },
};
