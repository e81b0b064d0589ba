import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../../checks/checks.js';
import { intervalReservation, readersWriters } from './protocol.js';

/** Two intervals without conflict. */
const commands = [
  { from: 628, to: 737 },
  { from: 737, to: 780 },
].map((interval) => ({ type: 'acquire', interval }));

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: { inputs: commands } },
      { topology: complete(3), budget: { inputs: commands.slice(0, 1) } },
    ],
  },
  'shared=true': {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(3), budget: { inputs: [{ type: 'share' }], initiators: ['a', 'c'] } },
      { topology: complete(3), budget: { inputs: [{ type: 'acquire' }] } },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('A15 Interval reservation', [
    run(
      '3 nodes',
      'two of them request 3 intervals each, any order',
      intervalReservation(),
      complete(3),
      {
        inputs: [
          [9, 11],
          [10, 12],
          [11, 13],
        ].map(([from, to]) => ({ type: 'acquire', interval: { from, to } })),
        initiators: ['a', 'b'],
      },
    ),
    run(
      'readers and writers, 3 nodes',
      'each reads once and writes once, any order',
      readersWriters,
      complete(3),
      { inputs: [{ type: 'acquire' }, { type: 'share' }] },
    ),
    run(
      'readers and writers, 2 nodes',
      'each twice, and each may cancel, any order',
      readersWriters,
      complete(2),
      { commands: 2 },
    ),
  ]);
