import { complete } from '@conclave/core/topology';
import type { Mutants } from '../../../checks.js';

/** Two intervals without conflict. */
const commands = [
  { from: 628, to: 737 },
  { from: 737, to: 780 },
].map((interval) => ({ type: 'acquire', interval }));

export const mutants: Mutants = {
  '': {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: { inputs: commands } },
      { topology: complete(3), budget: { inputs: commands.slice(0, 1) } },
    ],
  },
};
