import { defaultSystems, type MutationSystem } from '@conclave/core/mutation';
import { star } from '@conclave/core/topology';
import type { Mutants } from '../../../checks.js';

/** A waiting client reports a coordinator that crashes. */
const crashing: readonly MutationSystem[] = [star(2), star(3)].map((topology) => ({
  topology,
  budget: { crashes: 1, mayCrash: ({ role }) => role === 'coordinator' },
}));

export const mutants: Mutants = {
  'acknowledge=true': {
    systems: (protocol) => [...defaultSystems(protocol), ...crashing],
  },
};
