import { defaultSystems } from '@conclave/check/internal';
import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified, violating } from '../../../checks/checks.js';
import { ricartAgrawala, ricartAgrawalaAcknowledged } from './protocol.js';

export const mutants: Mutants = {
  'acknowledged=true': {
    systems: (protocol) => [
      ...defaultSystems(protocol, { topologies: [complete(2)] }),
      { topology: complete(2), budget: { crashes: 1 } },
      // Late answers: only one node enters, so that false alarms do no harm.
      { topology: complete(2), budget: { time: 'untimed', initiators: ['a'], commands: 2 } },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('A3 Ricart–Agrawala', [
    run('3 nodes', '2 entries each, any order', ricartAgrawala, complete(3), { commands: 2 }),
    run('3 nodes', '3 entries each, FIFO', ricartAgrawala, complete(3), {
      commands: 3,
      order: 'fifo',
    }),
    run('3 nodes', '3 entries each, any order', ricartAgrawala, complete(3), { commands: 3 }),
    run('4 nodes', 'an entry each, FIFO', ricartAgrawala, complete(4), { order: 'fifo' }),
    run('4 nodes', 'an entry each, any order', ricartAgrawala, complete(4)),
    violating(
      run('3 nodes', '2 entries each, any order, one message lost', ricartAgrawala, complete(3), {
        commands: 2,
        losses: 1,
      }),
      'every node that wants to enter eventually enters',
      'no node waits in a quiescent state',
    ),
    run(
      'acknowledged, 3 nodes',
      'an entry each, any order, exact time',
      ricartAgrawalaAcknowledged(),
      complete(3),
    ),
    run(
      'acknowledged, 2 nodes',
      'each may cancel, 2 requests each, any order, exact time',
      ricartAgrawalaAcknowledged({ cancel: true }),
      complete(2),
      { commands: 2 },
    ),
  ]);
