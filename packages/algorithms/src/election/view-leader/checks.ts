import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { viewLeader } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: complete(2), budget: { crashes: 1 } },
      {
        topology: complete(2),
        budget: { crashes: 1, restarts: 1 },
        violates: ['no node waits in a quiescent state'],
      },
      { topology: complete(3), budget: { crashes: 2 } },
    ],
    parts: ['group'],
  },
};

export const verified: Verified = () =>
  systemsOf('B17 Election over a group', [
    run('4 nodes', 'three crashes, FIFO', viewLeader(), complete(4), { commands: 0, crashes: 3 }),
  ]);
