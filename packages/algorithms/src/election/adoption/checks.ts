import { defaultSystems } from '@conclave/check/internal';
import { complete } from '@conclave/core/topology';
import { type Mutants, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { allGraphs, onEach } from '../../checks/networks.js';
import { adoption } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    // Only on a cycle are there edges outside the tree.
    systems: (protocol) => [
      ...defaultSystems(protocol),
      { topology: complete(3), budget: { commands: 1 } },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('B11 Adoption', [
    runs(
      'all 38 labelled graphs of 4 nodes',
      'any node may start, any order',
      onEach(adoption, allGraphs(4)),
    ),
  ]);
