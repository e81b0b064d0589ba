import { ring } from '@conclave/core/topology';
import { large, type Mutants, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { onEach, rings, twoWayRings, twoWaySystems } from '../../checks/networks.js';
import { hirschbergSinclair } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    systems: (protocol) => [
      ...twoWaySystems(protocol).slice(0, 2),
      // On six nodes an id of phase 2 meets a sleeping node, and a candidate, that is not its last
      // one.
      {
        topology: ring(['a', 'f', 'b', 'c', 'e', 'd'], { oneWay: false }),
        budget: { initiators: ['c', 'f'], order: 'fifo' },
      },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('B6 Hirschberg–Sinclair', [
    runs(
      'the 6 two-way rings of 4',
      'any set of initiators, any order',
      twoWayRings(4, hirschbergSinclair),
    ),
    runs(
      'the 24 two-way rings of 5',
      'any set of initiators, FIFO',
      twoWayRings(5, hirschbergSinclair, { order: 'fifo' }),
    ),
    runs(
      'the 24 two-way rings of 5',
      'any one or two may start, any order',
      twoWayRings(5, hirschbergSinclair).filter(
        ([, , { initiators = [] } = {}]) => initiators.length <= 2,
      ),
    ),
    large(
      runs(
        'the 24 two-way rings of 5',
        'any node may start, any order',
        onEach(hirschbergSinclair, rings(5, { oneWay: false })),
      ),
    ),
  ]);
