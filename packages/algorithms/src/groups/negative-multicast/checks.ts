import type { NodeView } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../checks/systems.js';
import { curve } from './curve.js';
import { negativeMulticast } from './protocol.js';

/** Every message takes 100 ms: far fewer interleavings. */
const fixed = { time: { kind: 'exact', delay: [100, 100] } } as const;

/** All multicasts carry the same data. */
const inputs = [{ type: 'multicast', data: 'x' }];

const isFirst = ({ id }: NodeView): boolean => id === 'a';

const systems = () => [
  { topology: complete(2), budget: { inputs, initiators: ['a'], commands: 2, losses: 1 } },
  { topology: complete(3), budget: { inputs, initiators: ['a'], losses: 1 } },
  {
    topology: complete(3),
    budget: { inputs, initiators: ['a'], commands: 2, losses: 1, ...fixed },
  },
  { topology: complete(3), budget: { inputs, initiators: ['a'], losses: 2, crashes: 1, ...fixed } },
  {
    topology: complete(3),
    budget: { inputs, initiators: ['a', 'b'], crashes: 1, mayCrash: isFirst, ...fixed },
  },
];

export const mutants: Mutants = {
  '': {
    systems,
    reasons: because(
      'Without it a member probes a sender that is not silent, which only costs messages',
      'sender.standby.listening: summary {delete-transition|ignore}',
    ),
  },
};

export const parts = { curve };

/** What it does without a loss is not the point. */
export const loss = 0.2;

export const verified: Verified = () =>
  systemsOf('C4b Negative multicast of equal data', [
    run('2 members', 'two messages each, a loss', negativeMulticast(), complete(2), {
      inputs,
      commands: 2,
      losses: 1,
    }),
    run('3 members', 'one sends, 2 losses, a crash', negativeMulticast(), complete(3), {
      inputs,
      initiators: ['a'],
      losses: 2,
      crashes: 1,
    }),
    run('3 members', 'two send, a loss', negativeMulticast(), complete(3), {
      inputs,
      initiators: ['a', 'b'],
      losses: 1,
    }),
    run(
      '3 members',
      'one sends, a loss, a crash and a restart, messages of 100 ms',
      negativeMulticast(),
      complete(3),
      { inputs, initiators: ['a'], losses: 1, crashes: 1, restarts: 1, ...fixed },
    ),
    run(
      '3 members',
      'one sends two messages, 2 losses, a crash, messages of 100 ms',
      negativeMulticast(),
      complete(3),
      { inputs, initiators: ['a'], commands: 2, losses: 2, crashes: 1, ...fixed },
    ),
    run(
      '3 members',
      'two send, a loss, a crash, messages of 100 ms',
      negativeMulticast(),
      complete(3),
      { inputs, initiators: ['a', 'b'], losses: 1, crashes: 1, ...fixed },
    ),
    run(
      '3 members',
      'two send two messages each, messages of 100 ms',
      negativeMulticast(),
      complete(3),
      { inputs, initiators: ['a', 'b'], commands: 2, ...fixed },
    ),
    run(
      '3 members',
      'two send, 2 losses, a crash, messages of 100 ms',
      negativeMulticast(),
      complete(3),
      { inputs, initiators: ['a', 'b'], losses: 2, crashes: 1, ...fixed },
    ),
    run(
      '4 members',
      'one sends, 2 losses, a crash, messages of 100 ms',
      negativeMulticast(),
      complete(4),
      { inputs, initiators: ['a'], losses: 2, crashes: 1, ...fixed },
    ),
    run('4 members', 'two send, a crash, messages of 100 ms', negativeMulticast(), complete(4), {
      inputs,
      initiators: ['a', 'b'],
      crashes: 1,
      ...fixed,
    }),
    run('4 members', 'two send, a loss, messages of 100 ms', negativeMulticast(), complete(4), {
      inputs,
      initiators: ['a', 'b'],
      losses: 1,
      ...fixed,
    }),
  ]);
