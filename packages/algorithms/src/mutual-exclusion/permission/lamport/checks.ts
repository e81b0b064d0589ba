import type { Mutants } from '../../../checks.js';

export const mutants: Mutants = {
  // some show only where both nodes may request twice
  'cancel=true': { states: 50_000 },
};
