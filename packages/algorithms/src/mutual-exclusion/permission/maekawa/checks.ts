import { defaultSystems } from '@conclave/check/internal';
import { complete } from '@conclave/core/topology';
import { large, type Mutants, run, systemsOf, type Verified } from '../../../checks/checks.js';
import { maekawa } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    systems: (protocol) => [
      ...defaultSystems(protocol),
      { topology: complete(4), budget: { initiators: ['b', 'c', 'd'] } },
      { topology: complete(4), budget: { initiators: ['b', 'c'], commands: 2 } },
    ],
  },
  'cancel=true': {
    systems: (protocol) => [
      ...defaultSystems(protocol, { commands: [1] }),
      { topology: complete(2), budget: { commands: 2 } },
      { topology: complete(3), budget: { initiators: ['a', 'b'], commands: 2 } },
      { topology: complete(4), budget: { initiators: ['b', 'c'] } },
      // All entries, without `cancel`.
      {
        topology: complete(4),
        budget: { initiators: ['b', 'c', 'd'], inputs: [{ type: 'acquire' }] },
      },
      {
        topology: complete(4),
        budget: { initiators: ['b', 'c'], inputs: [{ type: 'acquire' }], commands: 2 },
      },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('A12 Maekawa', [
    run('3 nodes', '4 entries each, FIFO', maekawa(), complete(3), { commands: 4 }),
    run('4 nodes', 'an entry each, FIFO', maekawa(), complete(4)),
    run('4 nodes', 'three of them enter twice, FIFO', maekawa(), complete(4), {
      commands: 2,
      initiators: ['b', 'c', 'd'],
    }),
    run(
      '4 nodes',
      'majorities, an entry each, FIFO',
      maekawa({ quorums: 'majority' }),
      complete(4),
    ),
    run(
      '5 nodes',
      'majorities, four of them enter, FIFO',
      maekawa({ quorums: 'majority' }),
      complete(5),
      { initiators: ['a', 'b', 'c', 'd'] },
    ),
    run('7 nodes', 'projective plane, four of them enter, FIFO', maekawa(), complete(7), {
      initiators: ['d', 'e', 'f', 'g'],
    }),
    large(
      run('7 nodes', 'projective plane, five of them enter, FIFO', maekawa(), complete(7), {
        initiators: ['c', 'd', 'e', 'f', 'g'],
      }),
    ),
    run(
      '4 nodes',
      'two of them may cancel, 2 requests each, FIFO',
      maekawa({ cancel: true }),
      complete(4),
      { commands: 2, initiators: ['b', 'c'] },
    ),
  ]);
