import type { ExploreOptions } from '@conclave/core/exploration';
import type { NodeView } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
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
  },
};

export const parts = { curve };

/** What it does without a loss is not the point. */
export const loss = 0.2;

const of = (n: number, what: string, budget: ExploreOptions) =>
  run(`${n} members`, what, negativeMulticast(), complete(n), { inputs, ...budget });

export const verified: Verified = () =>
  systemsOf('C4b Negative multicast of equal data', [
    of(2, 'two messages each, a loss', { commands: 2, losses: 1 }),
    of(3, 'one sends, 2 losses, a crash', { initiators: ['a'], losses: 2, crashes: 1 }),
    of(3, 'two send, a loss', { initiators: ['a', 'b'], losses: 1 }),
    of(3, 'one sends, a loss, a crash and a restart, messages of 100 ms', {
      initiators: ['a'],
      losses: 1,
      crashes: 1,
      restarts: 1,
      ...fixed,
    }),
    of(3, 'one sends two messages, 2 losses, a crash, messages of 100 ms', {
      initiators: ['a'],
      commands: 2,
      losses: 2,
      crashes: 1,
      ...fixed,
    }),
    of(3, 'two send, a loss, a crash, messages of 100 ms', {
      initiators: ['a', 'b'],
      losses: 1,
      crashes: 1,
      ...fixed,
    }),
    of(3, 'two send two messages each, messages of 100 ms', {
      initiators: ['a', 'b'],
      commands: 2,
      ...fixed,
    }),
    of(3, 'two send, 2 losses, a crash, messages of 100 ms', {
      initiators: ['a', 'b'],
      losses: 2,
      crashes: 1,
      ...fixed,
    }),
    of(4, 'one sends, 2 losses, a crash, messages of 100 ms', {
      initiators: ['a'],
      losses: 2,
      crashes: 1,
      ...fixed,
    }),
    of(4, 'two send, a crash, messages of 100 ms', {
      initiators: ['a', 'b'],
      crashes: 1,
      ...fixed,
    }),
    of(4, 'two send, a loss, messages of 100 ms', { initiators: ['a', 'b'], losses: 1, ...fixed }),
  ]);
