import { start, step } from '@conclave/core/internal';
import { send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { cancelContract } from '../../cancel.contract.js';
import { cancellableMachine } from './lamport.js';
import { lamportCancellable } from './protocol.js';

const mutant = (
  refuted: string,
  actions: Parameters<typeof cancellableMachine.provide>[0]['actions'],
) => ({
  protocol: withMachine(
    lamportCancellable,
    cancellableMachine.provide({ ...(actions && { actions }) }),
  ),
  refuted,
});

cancelContract({
  protocol: lamportCancellable,
  topologies: [2, 3, 4].map((n) => complete(n)),
  explored: [
    ['2 nodes, a request each', complete(2), {}, 322],
    ['2 nodes, 2 requests each', complete(2), { commands: 2 }, 44_152],
  ],
  costs: [{ topology: complete(2), budget: {}, most: 3 }],
  mutants: {
    'a cancelled request is not withdrawn: it stays in the queues of the others': mutant(
      'complete:2, 7 steps: every node that wants to enter eventually enters, unless its application cancels',
      {
        releaseAll: enqueueActions(() => {}),
      },
    ),
    'a cancelled request stays in its node’s queue': mutant(
      'complete:2, 2 steps: a queue has at most one request of each node, the oldest first, and its node’s own while that waits or is in the critical section',
      { dequeueOwn: enqueueActions(() => {}) },
    ),
  },
});

it('[LA6] a node that cancels removes its request everywhere, and may request again at once', () => {
  const after = (...types: readonly string[]) =>
    types.reduce(
      (taken, type) => step(cancellableMachine, 'a', taken.state, { type }),
      start(cancellableMachine, 'a', { self: 'a', peers: ['b'] }),
    );
  const { state, effects } = after('acquire', 'cancel');
  expect([state.value, state.context.queue, effects]).toEqual([
    'released',
    [],
    [send('b', { type: 'released', ts: 2 })],
  ]);
  expect(after('acquire', 'cancel', 'acquire').effects).toEqual([
    send('b', { type: 'request', ts: 3 }),
  ]);
});
