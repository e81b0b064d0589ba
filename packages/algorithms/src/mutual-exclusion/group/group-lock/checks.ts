import { complete } from '@conclave/core/topology';
import { type Mutants, run, runs, systemsOf, type Verified } from '../../../checks/checks.js';
import { groupLock } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: complete(2), budget: { commands: 2 } },
      { topology: complete(2), budget: { commands: 2, crashes: 1 } },
      { topology: complete(3), budget: { initiators: ['b', 'c'] } },
    ],
    parts: ['group'],
  },
};

export const verified: Verified = () =>
  systemsOf('A18 Lock over a group', [
    runs('3 nodes', 'two nodes an entry each, two crashes, FIFO', [
      [groupLock(), complete(3), { initiators: ['a', 'b'], crashes: 2 }],
      [groupLock(), complete(3), { initiators: ['b', 'c'], crashes: 2 }],
    ]),
    run('3 nodes', 'an entry each, a crash, FIFO', groupLock(), complete(3), { crashes: 1 }),
    run('4 nodes', 'two nodes an entry each, a crash, FIFO', groupLock(), complete(4), {
      initiators: ['a', 'd'],
      crashes: 1,
    }),
  ]);
