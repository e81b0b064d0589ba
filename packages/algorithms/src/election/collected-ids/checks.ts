import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../checks/systems.js';
import { collectedIds, collectedIdsAcknowledged } from './protocol.js';

const repeated = because(
  'A copy of a message goes round as often as the message itself, so that there are many more states',
  'channels repeat',
);

export const mutants: Mutants = {
  '': {
    reasons: because(
      'A copy of a message goes round as often as the message itself, so that there are many more states',
      'channels repeat',
    ),
  },
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
    reasons: {
      ...repeated,
      ...because(
        'An acknowledgement comes too late only if a time-out ends before the longest round trip',
        'link.quiet: ack {delete-transition|to *}',
        'link.awaiting: ack #3 to link.quiet retarget',
        'link.awaiting: ack #2 drop-guard',
      ),
      ...because(
        'The node starts again and again, so that there is no end of states',
        'link.quiet: always {drop-always|drop-target}',
        'link.awaiting: after timeout drop-timer',
      ),
      ...because('Without order there are too many states', 'channels any-order'),
      ...because(
        'While an acknowledgement is awaited, quiet leads back to awaiting at once',
        'link.awaiting: ack #1 drop-guard',
        'link.awaiting: ack #2 to link.quiet retarget',
        'link.awaiting: after timeout #2 to link.quiet retarget',
      ),
      ...because(
        'Only after a second crash the time-out ends again',
        'link.awaiting: after timeout #2 drop-target',
      ),
    },
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
