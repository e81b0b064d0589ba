import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { collectedIds, collectedIdsAcknowledged } from './protocol.js';

export const mutants: Mutants = {
  'acknowledged=true': {
    // A crash lets a time-out end; two rounds can have different results, which the other node, or
    // each of two, learns.
    systems: () => [
      { topology: complete(2), budget: { crashes: 1 } },
      { topology: complete(3), budget: { initiators: ['a'], crashes: 1 } },
      {
        topology: complete(3),
        budget: { initiators: ['a', 'b'], crashes: 1, time: { kind: 'exact', delay: [250, 250] } },
      },
      {
        topology: complete(3),
        budget: { initiators: ['b', 'c'], crashes: 1, time: { kind: 'exact', delay: [250, 250] } },
      },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('B2 Ring election with collected ids', [
    run('ring of 5', 'any node may start, any order', collectedIds, complete(5)),
    run(
      'acknowledged, ring of 3',
      'a and b may start, one crash, FIFO, exact time',
      collectedIdsAcknowledged(),
      complete(3),
      { crashes: 1, initiators: ['a', 'b'] },
    ),
    run(
      'acknowledged, ring of 3',
      'any node may start, FIFO, exact time',
      collectedIdsAcknowledged(),
      complete(3),
    ),
  ]);
