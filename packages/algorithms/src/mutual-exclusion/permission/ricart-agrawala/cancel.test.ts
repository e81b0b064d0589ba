import { start } from '@conclave/core/internal';
import { type LocalState, send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { mutantOf, withMachine, withState } from '../../../contract/mutant.js';
import { takeAll } from '../../../contract/take-all.js';
import { cancelContract } from '../../cancel.contract.js';
import { ricartAgrawalaAcknowledged, ricartAgrawalaCancellable } from './protocol.js';
import { cancellableAcknowledgedMachine, cancellableMachine } from './ricart-agrawala.js';

const mutant = mutantOf(ricartAgrawalaCancellable);

cancelContract({
  protocol: ricartAgrawalaCancellable,
  topologies: [2, 3, 4].map((n) => complete(n)),
  explored: [
    ['2 nodes, a request each', complete(2), { commands: 1 }, 114],
    ['2 nodes, 2 requests each', complete(2), { commands: 2 }, 2_504],
    ['3 nodes, a request each', complete(3), { commands: 1 }, 87_518],
  ],
  costs: [{ topology: complete(2), budget: { commands: 2 }, most: 2 }],
  mutants: {
    'a cancelled request is not withdrawn: deferred requests wait': mutant(
      'complete:2, 6 steps: every node that wants to enter eventually enters, unless its application cancels',
      cancellableMachine.provide({ actions: { replyDeferred: enqueueActions(() => {}) } }),
    ),
    'the next request does not wait for outstanding replies': mutant(
      "complete:2, 6 steps: Node a in 'held' does not handle 'reply' (from b)",
      withState(
        withState(cancellableMachine, ['withdrawn'], { always: { target: 'released' } }),
        ['released'],
        {
          on: {
            acquire: { target: 'wanted', actions: ['stamp', 'requestAll'] },
            request: { actions: ['witness', 'reply'] },
            reply: {},
          },
        },
      ),
    ),
    'a node that has cancelled still defers younger requests': mutant(
      'complete:2, 5 steps: every node that wants to enter eventually enters, unless its application cancels',
      withState(cancellableMachine, ['withdrawn'], {
        on: { request: { actions: ['witness', 'defer'] }, reply: { actions: 'crossOff' } },
      }),
    ),
  },
});

cancelContract({
  protocol: ricartAgrawalaAcknowledged({ cancel: true }),
  topologies: [complete(3)],
  explored: [
    ['2 nodes, a request each', complete(2), {}, 1_620],
    ['2 nodes, a crash', complete(2), { crashes: 1 }, 6_363],
  ],
  costs: [],
  mutants: {
    'a cancelled request is not withdrawn: deferred requests wait': {
      protocol: withMachine(
        ricartAgrawalaAcknowledged({ cancel: true }),
        cancellableAcknowledgedMachine.provide({
          actions: { replyDeferred: enqueueActions(() => {}) },
        }),
      ),
      refuted:
        'complete:2, 4 steps: a node defers requests only while it waits or is in the critical section',
    },
  },
});

describe('ricart-agrawala rules with cancel', () => {
  const after = (
    machine: typeof cancellableMachine,
    state: LocalState,
    ...events: readonly { readonly type: string }[]
  ) => takeAll(machine, 'a', state, events);
  const younger = { type: 'request', ts: 9, from: 'c' };
  const [acquire, cancel] = [{ type: 'acquire' }, { type: 'cancel' }];
  const plain = start(cancellableMachine, 'a', { self: 'a', peers: ['b', 'c'] }).state;
  const reply = (from: string) => ({ type: 'reply', from });

  it('[RA10] a node that cancels replies to all deferred requests', () => {
    const { state, effects } = after(cancellableMachine, plain, acquire, younger, cancel);
    expect([state.value, state.context.deferred, effects]).toEqual([
      'withdrawn',
      [],
      [send('c', { type: 'reply' })],
    ]);
    const stamped = start(cancellableAcknowledgedMachine, 'a', {
      self: 'a',
      peers: ['b', 'c'],
      timeout: 1000,
    }).state;
    const next = after(cancellableAcknowledgedMachine, stamped, acquire, younger, cancel);
    expect(next.state.value).toBe('released');
    expect(next.effects).toContainEqual(send('c', { type: 'reply', ts: 9 }));
  });

  it('[RA11] then it replies at once, and may request again when it has all replies', () => {
    const { state } = after(cancellableMachine, plain, acquire, reply('b'), cancel);
    expect(after(cancellableMachine, state, younger).effects).toEqual([
      send('c', { type: 'reply' }),
    ]);
    expect(after(cancellableMachine, state, reply('c')).state.value).toBe('released');
  });
});
