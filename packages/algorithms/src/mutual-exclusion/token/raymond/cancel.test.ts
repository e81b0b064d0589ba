import { start } from '@conclave/core/internal/protocol';
import { send } from '@conclave/core/protocol';
import { chain } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, EventObject } from 'xstate';
import { enqueueActions } from 'xstate';
import { withMachine, withState } from '../../../contract/mutant.js';
import { takeAll } from '../../../contract/take-all.js';
import { cancelContract } from '../../cancel.contract.js';
import { raymond } from './protocol.js';
import { cancellableMachine, cancellablePiggybackMachine } from './raymond.js';

const protocol = raymond({ cancel: true });

cancelContract({
  protocol,
  topologies: [2, 3, 5].map((n) => chain(n)),
  explored: [
    ['chain of 2, 2 requests each', chain(2), { commands: 2 }, 390],
    ['chain of 3, 2 requests each', chain(3), { commands: 2 }, 14_953],
    ['chain of 4, a request each', chain(4), {}, 7_507],
  ],
  covered: {
    topology: chain(3),
    budget: { commands: 2 },
    states: 14953,
    transitions: 47907,
    depth: 24,
    undelivered: ['held: token', 'released.away: token', 'released.here: token'],
  },
  costs: [
    { topology: chain(2), budget: { commands: 2 }, most: 2 },
    { topology: chain(3), budget: { commands: 2 }, most: 4 },
  ],
  mutants: {
    'a cancelled request is not withdrawn: it stays in the queue': {
      protocol: withMachine(
        protocol,
        cancellableMachine.provide({ actions: { dequeueSelf: enqueueActions(() => {}) } }),
      ),
      refuted: 'chain:2, 3 steps: no node is in a queue twice',
    },
    'a node that has cancelled counts as one that has not asked': {
      protocol: withMachine(
        protocol,
        withState(cancellableMachine, ['wanted'], {
          on: {
            ...cancellableMachine.config.states?.wanted?.on,
            cancel: { target: 'released.away', actions: 'dequeueSelf' },
          },
        }),
      ),
      refuted: "chain:2, 3 steps: Node b in 'released.away' does not handle 'token' (from a)",
    },
  },
});

cancelContract({
  protocol: raymond({ cancel: true, piggyback: true }),
  topologies: [chain(4)],
  explored: [
    ['piggyback, chain of 2, 2 requests each', chain(2), { commands: 2 }, 410],
    ['piggyback, chain of 3, 2 requests each', chain(3), { commands: 2 }, 17_017],
  ],
  costs: [],
  mutants: {},
});

cancelContract({
  protocol: raymond({ cancel: true, greedy: 1 }),
  topologies: [chain(4)],
  explored: [['greedy, chain of 3, 2 requests each', chain(3), { commands: 2 }, 25_833]],
  costs: [],
  mutants: {},
});

describe('raymond rules with cancel', () => {
  const input = { self: 'b', holder: 'a', greedy: 0 };
  const after = (machine: AnyStateMachine, ...events: readonly EventObject[]) =>
    takeAll(machine, 'b', start(machine, 'b', input).state, events);
  const [acquire, cancel] = [{ type: 'acquire' }, { type: 'cancel' }];
  const request = { type: 'request', from: 'c' };

  it('[RY7] a node that cancels leaves its queue, and has still asked', () => {
    const { state } = after(cancellableMachine, acquire, request, cancel);
    expect([state.value, state.context.queue]).toEqual([{ released: 'asked' }, ['c']]);
    expect(after(cancellableMachine, acquire, cancel, acquire)).toMatchObject({
      state: { value: 'wanted' },
      effects: [],
    });
  });

  it('[RY8] a token for nobody stays; one with a request goes back', () => {
    const token = { entries: 3, from: 'a' };
    const { state } = after(cancellableMachine, acquire, cancel, { type: 'token', ...token });
    expect(state).toMatchObject({
      value: { released: 'here' },
      context: { holder: 'b', entries: 3 },
    });
    const both = after(cancellablePiggybackMachine, acquire, cancel, {
      type: 'token-and-request',
      ...token,
    });
    expect([both.state.value, both.effects]).toEqual([
      { released: 'away' },
      [send('a', { type: 'token', entries: 3 })],
    ]);
  });
});
