import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { raftElection } from './protocol.js';

const fault = { crashes: 1, restarts: 1 } as const;
const two = { initiators: ['a', 'b'] } as const;
const fixed = { kind: 'exact', delay: [25, 25] } as const;

/** Of two nodes that stand, one hears of a later term. */
const slow = { kind: 'exact', delay: [50, 50], tick: 50 } as const;

export const mutants: Mutants = {
  withoutOptions: {
    states: 50_000,
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1 } },
      { topology: complete(2), budget: { ...fault, initiators: ['a'], commands: 2 } },
      { topology: complete(3), budget: two },
      { topology: complete(3), budget: { ...two, ...fault } },
    ],
  },
  'heartbeats=true': {
    systems: () => [
      { topology: complete(3), budget: { commands: 0, time: fixed } },
      { topology: complete(3), budget: { ...fault, commands: 0, time: fixed } },
      { topology: complete(2), budget: { losses: 1, time: slow } },
      { topology: complete(3), budget: { initiators: ['b', 'c'], time: slow } },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('E5 Raft election', [
    run('3 nodes', 'each may stand', raftElection(), complete(3)),
    run(
      '3 nodes',
      'two may stand, a crash and a restart, a loss, a duplication',
      raftElection(),
      complete(3),
      { ...two, ...fault, losses: 1, duplications: 1 },
    ),
    run('3 nodes', 'two may stand, two crashes and restarts', raftElection(), complete(3), {
      ...two,
      crashes: 2,
      restarts: 2,
    }),
    run(
      '3 nodes',
      'heartbeats, a crash and a restart, messages of up to 25 ms',
      raftElection({ heartbeats: true }),
      complete(3),
      { commands: 0, ...fault },
    ),
  ]);
