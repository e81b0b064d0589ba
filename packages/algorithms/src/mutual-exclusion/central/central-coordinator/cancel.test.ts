import { readFileSync } from 'node:fs';
import { start, step } from '@conclave/core/internal/protocol';
import { ConclaveError, send } from '@conclave/core/protocol';
import { star } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { withMachine, withState } from '../../../contract/mutant.js';
import { cancelContract } from '../../cancel.contract.js';
import { handled, outcomeOf } from '../../outcome.contract.js';
import { cancellableClient, cancellableCoordinator } from './central-coordinator.js';
import { centralCoordinator } from './protocol.js';

const protocol = centralCoordinator({ cancel: true });

cancelContract({
  protocol,
  topologies: [3, 4].map((n) => star(n)),
  explored: [
    ['1 client, 2 requests', star(2), { commands: 2 }, 34],
    ['2 clients, 2 requests each', star(3), { commands: 2 }, 2_005],
    ['3 clients, a request each', star(4), {}, 2_143],
  ],
  covered: {
    topology: star(4),
    budget: {},
    states: 2143,
    transitions: 6006,
    depth: 15,
    undelivered: [
      'client held: grant',
      'client held: withdrawn',
      'client released: grant',
      'client released: withdrawn',
      'client wanted: withdrawn',
      'coordinator free: released',
      'coordinator free: withdraw',
    ],
  },
  costs: [{ topology: star(3), budget: { commands: 2 }, most: 3 }],
  mutants: {
    'a cancelled request is not withdrawn: the grant goes to a client that does not want it': {
      protocol: withMachine(
        protocol,
        cancellableClient.provide({ actions: { withdraw: enqueueActions(() => {}) } }),
        'client',
      ),
      refuted:
        'star:2, 6 steps: every node that wants to enter eventually enters, unless its application cancels',
    },
    'a withdrawn client stays in the queue': {
      protocol: withMachine(
        protocol,
        cancellableCoordinator.provide({ actions: { dequeue: enqueueActions(() => {}) } }),
        'coordinator',
      ),
      refuted:
        'star:3, 6 steps: a client is queued once from its request to its grant or withdrawal, in the order of arrival',
    },
    'the coordinator ignores withdraw after the grant': {
      protocol: withMachine(
        protocol,
        withState(cancellableCoordinator, ['busy'], {
          on: {
            ...cancellableCoordinator.config.states?.busy?.on,
            withdraw: [{ guard: 'isQueued', actions: ['dequeue', 'confirm'] }, {}],
          },
        }),
        'coordinator',
      ),
      refuted:
        'star:2, 7 steps: every node that wants to enter eventually enters, unless its application cancels',
    },
    'a client that has cancelled releases when it is granted': {
      protocol: withMachine(
        protocol,
        withState(cancellableClient, ['withdrawing'], {
          on: { withdrawn: 'released', grant: { target: 'released', actions: 'giveBack' } },
        }),
        'client',
      ),
      refuted:
        'star:2, 4 steps: a client sends request when it wants to enter, released when it leaves or is granted too late, withdraw when its application cancels, and nothing else',
    },
  },
});

it('does not offer acknowledge and cancel together', () => {
  expect(() => centralCoordinator({ acknowledge: true, cancel: true })).toThrow(ConclaveError);
});

it('needs FIFO channels: a withdraw that overtakes its request is not handled', () => {
  const { verdicts, traces } = outcomeOf(protocol, star(2), { order: 'any' });
  expect(verdicts).toMatchObject({ [handled]: 'violated in 2' });
  expect(readFileSync(new URL('./README.md', import.meta.url), 'utf8')).toContain(
    traces[handled] ?? 'no trace',
  );
});

describe('central-coordinator rules with cancel', () => {
  const idle = start(cancellableClient, 'b', { coordinator: 'a' }).state;
  const wanted = step(cancellableClient, 'b', idle, { type: 'acquire' }).state;
  const cancelled = step(cancellableClient, 'b', wanted, { type: 'cancel' });
  const from = (from: string, type: string, fields: object = {}) => ({ ...fields, type, from });
  const busy = [from('b', 'request'), from('c', 'request')].reduce(
    (state, event) => step(cancellableCoordinator, 'a', state, event).state,
    start(cancellableCoordinator, 'a', {}).state,
  );
  const withdrawnBy = (state: typeof busy, id: string) =>
    step(cancellableCoordinator, 'a', state, from(id, 'withdraw'));

  it('[CC10] a client that cancels sends withdraw', () => {
    expect([cancelled.state.value, cancelled.effects]).toEqual([
      'withdrawing',
      [send('a', { type: 'withdraw' })],
    ]);
  });

  it('[CC11] a queued client leaves the queue, and is told so', () => {
    const { state, effects } = withdrawnBy(busy, 'c');
    expect([state.value, state.context.queue, effects]).toEqual([
      'busy',
      [],
      [send('c', { type: 'withdrawn' })],
    ]);
    expect(step(cancellableClient, 'b', cancelled.state, from('a', 'withdrawn')).state.value).toBe(
      'released',
    );
  });

  it('[CC12] withdraw of the granted client counts as released; it does not enter', () => {
    expect(withdrawnBy(busy, 'b').effects).toEqual([send('c', { type: 'grant', entry: 2 })]);
    expect(withdrawnBy(withdrawnBy(busy, 'c').state, 'b').state.value).toBe('free');
    const late = step(cancellableClient, 'b', cancelled.state, from('a', 'grant', { entry: 1 }));
    expect([late.state.value, late.effects]).toEqual(['released', []]);
  });
});
