import { chain, complete, topology } from '@conclave/core/topology';
import { type Mutants, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { allGraphs, onEach } from '../../checks/networks.js';
import { echo } from './protocol.js';

/** Two triangles that share the edge b–c. */
const diamond = topology('edges:a-b,a-c,b-c,b-d,c-d');

/** The systems on which the mutants of waves are explored. All are killed there. */
export const mutants: Mutants = {
  withoutOptions: {
    systems: () =>
      [chain(2), chain(3), complete(3), diamond].map((topology) => ({ topology, budget: {} })),
  },
};

export const verified: Verified = () =>
  systemsOf('C2 Echo algorithm', [
    runs(
      'all 728 labelled graphs of 5 nodes',
      'the first node starts, any order',
      onEach(echo(), allGraphs(5)),
    ),
  ]);
