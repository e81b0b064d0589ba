import type { MutationSystem } from '@conclave/check';
import { defaultSystems } from '@conclave/check/internal';
import { star } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../../checks/checks.js';
import { centralCoordinator } from './protocol.js';

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

export const verified: Verified = () =>
  systemsOf('A1 Central coordinator', [
    run('5 clients', '2 entries each, any order', centralCoordinator(), star(6), { commands: 2 }),
  ]);
