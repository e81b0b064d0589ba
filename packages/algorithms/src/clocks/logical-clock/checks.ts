import { chain } from '@conclave/core/topology';
import type { Mutants } from '../../checks.js';

/** The systems on which the mutants of logical clocks are explored. All are killed there. */
const systems = () => [
  { topology: chain(2), budget: {} },
  { topology: chain(2), budget: { losses: 1, duplications: 1 } },
  { topology: chain(3), budget: {} },
];

export const mutants: Mutants = {
  '': { systems },
  'clock=vector': { systems },
};
