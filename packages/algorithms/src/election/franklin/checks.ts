import { type Mutants, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { twoWayRings, twoWaySystems } from '../../checks/networks.js';
import { franklin } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    systems: twoWaySystems,
  },
};

export const verified: Verified = () =>
  systemsOf('B5 Franklin', [
    runs('the 6 two-way rings of 4', 'any set of initiators, FIFO', twoWayRings(4, franklin)),
    runs('the 24 two-way rings of 5', 'any set of initiators, FIFO', twoWayRings(5, franklin)),
  ]);
