import { fire, start, step } from '@conclave/core/internal';
import { type LocalState, notify, send } from '@conclave/core/protocol';
import { closedLoop, simulate, type Workload } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, enqueueActions } from 'xstate';
import { costOf } from '../../../contract/cost.contract.js';
import { takeAll, withMachine, withoutSteps } from '../../../contract/machines.contract.js';
import { cancelContract } from '../../cancel.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { tokenRing } from '../token-ring/protocol.js';
import { regeneratedToken } from './protocol.js';
import {
  cancellableMachine,
  type Event,
  electingMachine,
  epochOf,
  fenceOf,
  machine,
} from './regenerated-token.js';

const plain = regeneratedToken();
/** A coordinator whose tokens are all of epoch 1. */
const makeOldToken = enqueueActions(({ context: { next }, enqueue }) => {
  enqueue.assign({ seen: 1 });
  enqueue.emit(send(next, { type: 'token', epoch: 1, entries: 0 }));
});

/** Its timeouts are too short: otherwise a run without loss needs no epochs. */
const hasty = regeneratedToken({ timeout: 5 });
const mutant = (refuted: string, changed: AnyStateMachine, of = plain) => ({
  protocol: withMachine(withoutSteps(of), changed),
  refuted,
});

mutualExclusionContract({
  protocol: plain,
  topologies: [ring(2), ring(3), ring(['c', 'b', 'a'])],
  small: [{ topology: ring(2), budget: {} }],
  explored: [
    [
      '2 nodes, 1 entry each, up to 2 losses',
      [0, 1, 2].map((losses) => ({ topology: ring(2), budget: { losses } })),
      {},
      32_940,
    ],
    ['3 nodes in both ring orders, 1 entry each', [ring(3), ring(['c', 'b', 'a'])], {}, 70_310],
    [ring(3), { commands: 2, initiators: ['a', 'b'] }, 67_677],
  ],
  costs: [2, 3, 5, 9].map((n) => ring(n)),
  mutants: {
    'a new token has the epoch of the lost one': mutant(
      'ring:2, 10 steps: each epoch has at most one token, in a node or on its way',
      electingMachine.provide({ actions: { makeToken: makeOldToken } }),
      hasty,
    ),
  },
});

const input = {
  self: 'm',
  next: 'n',
  coordinator: false,
  seen: 0,
  timeout: 500,
  blindRegenerations: 1,
};
const token = (epoch: number, entries = 0): Event => ({ type: 'token', epoch, entries, from: 'l' });
const inquiry: Event = { type: 'inquiry', from: 'l' };
const acquire: Event = { type: 'acquire' };
const release: Event = { type: 'release' };
const passed = (epoch: number, entries = 0) => send('n', { type: 'token', epoch, entries });

type Taken = ReturnType<typeof step>;
const run = (of: AnyStateMachine) => {
  const after = (state: LocalState, ...events: readonly (Event | 'timeout')[]): Taken =>
    events.reduce(
      (taken: Taken, event) =>
        event === 'timeout'
          ? fire(of, 'm', taken.state, taken.state.timers[0]?.id ?? '')
          : step(of, 'm', taken.state, event),
      { state, effects: [] },
    );
  return after;
};
const sends = ({ effects }: Taken) =>
  effects.filter(({ type }) => type === 'send' || type === 'notify');

describe('regenerated-token rules', () => {
  const after = run(machine);
  const member = start(machine, 'm', input).state;
  const coordinator = start(machine, 'm', { ...input, coordinator: true });
  const watching = coordinator.state;

  it('[RT1] the coordinator puts the first token on the ring, of epoch 1, the others do not', () => {
    expect(sends(coordinator)).toEqual([passed(1)]);
    expect(watching).toMatchObject({
      value: { client: 'released', regenerator: 'watching' },
      context: { seen: 1 },
    });
    expect(start(machine, 'm', input)).toMatchObject({
      state: { value: { client: 'released', regenerator: 'off' } },
      effects: [],
    });
  });

  it('[RT2] the token is passed on, or lets in a waiting node; it counts the entries of its epoch', () => {
    expect(sends(after(member, token(1, 4)))).toEqual([passed(1, 4)]);
    const held = after(member, acquire, token(3, 4));
    expect(held.state).toMatchObject({
      value: { client: 'held' },
      tags: ['critical', 'token'],
      context: { fence: fenceOf(3, 5) },
    });
    const left = after(held.state, release);
    expect(sends(left)).toEqual([passed(3, 5)]);
    expect(left.state.context).toMatchObject({ seen: 3, entries: 0, fence: 0 });
  });

  it('[RT3] after `timeout` without a token the coordinator makes one of the next epoch; each token restarts the timeout', () => {
    const seen = step(machine, 'm', watching, token(1));
    expect(seen.effects.map(({ type }) => type).sort()).toEqual(['cancel', 'send', 'start']);
    const made = after(watching, 'timeout');
    expect(sends(made)).toEqual([passed(2)]);
    expect(made.state).toMatchObject({
      value: { regenerator: 'watching' },
      context: { seen: 2, madeBlindly: 1 },
    });
    expect(after(made.state, token(2)).state.context.madeBlindly).toBe(0);
    const inside = after(watching, acquire, token(1)).state;
    expect(inside).toMatchObject({ value: { client: 'held', regenerator: 'inside' }, timers: [] });
    expect(after(inside, release).state).toMatchObject({
      value: { regenerator: 'watching' },
      timers: [{ delay: 500 }],
    });
  });

  it('[RT4] a token of an earlier epoch than the node has seen is discarded, and does not restart the timeout', () => {
    const knowing = after(member, token(2)).state;
    expect(after(knowing, token(1)).effects).toEqual([]);
    expect(after(knowing, acquire, token(1))).toMatchObject({
      state: { value: { client: 'wanted' } },
      effects: [],
    });
    expect(after(knowing, acquire, token(2), token(1)).state.context).toMatchObject({
      seen: 2,
      entries: 1,
    });
    const made = after(watching, 'timeout').state;
    expect(step(machine, 'm', made, token(1)).effects).toEqual([]);
  });

  it('[RT5] a node in its critical section keeps a later token, and its own number', () => {
    const overtaken = after(member, acquire, token(1, 4), token(2, 7)).state;
    expect(overtaken).toMatchObject({
      value: { client: 'held' },
      context: { fence: fenceOf(1, 5) },
    });
    expect(sends(after(overtaken, release))).toEqual([passed(2, 7)]);
  });

  it('[RT6] after `blindRegenerations` tokens in a row the coordinator inquires; a node in its critical section stops the inquiry', () => {
    const asking = after(watching, 'timeout', 'timeout');
    expect(asking.state.value).toEqual({ client: 'released', regenerator: 'asking' });
    expect(sends(asking)).toEqual([send('n', { type: 'inquiry' })]);
    expect(sends(after(member, inquiry))).toEqual([send('n', { type: 'inquiry' })]);
    expect(after(member, acquire, token(1), inquiry).effects).toEqual([]);
    expect(sends(after(asking.state, inquiry))).toEqual([passed(3)]);
    expect(after(asking.state, token(2)).state).toMatchObject({
      value: { regenerator: 'watching' },
      context: { madeBlindly: 0 },
    });
    expect(after(asking.state, acquire, token(2)).state.value).toEqual({
      client: 'held',
      regenerator: 'inside',
    });
    expect(sends(after(asking.state, 'timeout'))).toEqual([
      notify({ type: 'token-missing' }),
      send('n', { type: 'inquiry' }),
    ]);
    for (const late of [after(watching, inquiry), after(watching, acquire, token(1), inquiry)])
      expect(late.effects).toEqual([]);
  });

  it('[RT7] a coordinator that restarts knows its epoch, and waits before it makes a token', () => {
    const again = start(machine, 'm', { ...input, coordinator: true, seen: 4 });
    expect(sends(again)).toEqual([]);
    expect(sends(after(again.state, 'timeout'))).toEqual([passed(5)]);
    expect(
      start(electingMachine, 'm', { ...input, seen: 4, election: { self: 'm', next: 'n' } })
        .effects,
    ).toEqual([]);
  });
});

describe('regenerated-token rules of the election', () => {
  const after = run(electingMachine);
  const first = start(electingMachine, 'm', { ...input, election: { self: 'm', next: 'n' } });
  const election = (id: string): Event => ({ type: 'election-election', id, from: 'l' });
  const elected = (id: string): Event => ({ type: 'election-elected', id, from: 'l' });
  const candidate = send('n', { type: 'election-election', id: 'm' });

  it('[RT8] a node that has seen no token is a candidate from its start', () => {
    expect(sends(first)).toEqual([candidate]);
    expect(first.state.value).toEqual({
      client: 'released',
      regenerator: 'off',
      candidacy: 'electing',
      election: 'active',
    });
  });

  it('[RT9] the elected node is the coordinator', () => {
    const won = after(first.state, election('m'));
    expect(sends(won)).toEqual([send('n', { type: 'election-elected', id: 'm' }), passed(1)]);
    expect(won.state).toMatchObject({
      value: { regenerator: 'watching', election: { leader: 'announcing' } },
      context: { coordinator: true },
    });
  });

  it('[RT10] a candidate sends its id again after `timeout`; a node that has seen a larger id does not', () => {
    const again = after(first.state, 'timeout');
    expect(sends(again)).toEqual([candidate]);
    expect(sends(after(again.state, 'timeout'))).toEqual([candidate]);
    const relaying = after(first.state, election('z'), 'timeout');
    expect(sends(relaying)).toEqual([]);
    expect(relaying.state).toMatchObject({ value: { candidacy: 'settled' }, timers: [] });
  });

  it('[RT11] the first token ends the election, and later messages of it are ignored', () => {
    const settled = after(first.state, token(1)).state;
    expect(settled).toMatchObject({ value: { candidacy: 'settled' }, timers: [] });
    expect(after(first.state, election('z'), token(1), election('a')).effects).toEqual([]);
    expect(after(first.state, elected('z')).effects).toEqual([]);
    const back = start(electingMachine, 'm', {
      ...input,
      seen: 4,
      election: { self: 'm', next: 'n' },
    }).state;
    expect(after(back, election('m')).effects).toEqual([]);
  });
});

describe('regenerated-token options', () => {
  it('a number contains its epoch', () => {
    expect([epochOf(fenceOf(0, 0)), epochOf(fenceOf(7, 123)), epochOf(fenceOf(8, 0))]).toEqual([
      0, 7, 8,
    ]);
    expect(fenceOf(8, 0)).toBeGreaterThan(fenceOf(7, 1_000_000));
  });
});

const protocol = regeneratedToken({ coordinator: 'a', cancel: true });

cancelContract({
  protocol,
  topologies: [ring(3)],
  explored: [[ring(2), { losses: 1 }, 3_894]],
});

cancelContract({
  protocol: regeneratedToken({ cancel: true }),
  topologies: [ring(3)],
  explored: [[ring(2), {}, 3_075]],
});

it('[RT12] a node that cancels passes the token on', () => {
  const input = {
    self: 'b',
    next: 'c',
    coordinator: false,
    seen: 0,
    timeout: 1000,
    blindRegenerations: 1,
  };
  const events = [
    { type: 'acquire' },
    { type: 'cancel' },
    { type: 'token', epoch: 1, entries: 4, from: 'a' },
  ];
  const { state: first } = start(cancellableMachine, 'b', input);
  const { state, effects } = takeAll(cancellableMachine, 'b', first, events);
  expect([state.value, effects]).toEqual([
    { client: 'released', regenerator: 'off' },
    [send('c', { type: 'token', epoch: 1, entries: 4 })],
  ]);
});

const heavy = () => closedLoop({ entries: 10, think: { kind: 'fixed', ms: 0 } });

describe('regenerated-token cost', () => {
  it('is that of the token ring if no message is lost and no timeout is too short: the same run, message by message', () => {
    const loads: readonly (() => Workload)[] = [
      heavy,
      () => closedLoop({ entries: 5, think: { kind: 'exponential', mean: 40 } }),
    ];
    for (const n of [2, 3, 5, 8])
      for (const workload of loads) {
        const run = (protocol: Parameters<typeof simulate>[0]['protocol']) =>
          simulate({
            protocol,
            topology: ring(n),
            workload: workload(),
            seed: n,
            conditions: { delay: { kind: 'uniform', least: 1, most: 9 } },
          });
        const [plain, regenerated] = [
          run(tokenRing()),
          run(regeneratedToken({ coordinator: 'a' })),
        ];
        expect(regenerated.messages).toEqual(plain.messages);
        expect(regenerated.exclusion.entries).toEqual(plain.exclusion.entries);
      }
  });

  it('includes one election, and no inquiry', () => {
    for (let n = 2; n <= 12; n++) {
      const { messages, exclusion } = simulate({
        protocol: regeneratedToken(),
        topology: ring(n),
        workload: heavy(),
      });
      const {
        token = 0,
        'election-election': election = 0,
        'election-elected': elected,
        inquiry = 0,
      } = messages;
      expect(exclusion.entries).toHaveLength(10 * n);
      expect([election, elected, inquiry]).toEqual([2 * n - 1, n, 0]);
      expect(token).toBeLessThanOrEqual(11 * n);
    }
  });

  it('of a loss is a timeout and a new token, and a round of the inquiry if the coordinator inquires', () => {
    const run = (blindRegenerations: number) =>
      simulate({
        protocol: regeneratedToken({ coordinator: 'a', timeout: 100, blindRegenerations }),
        topology: ring(4),
        conditions: { delay: { kind: 'fixed', ms: 1 }, loss: 1 },
        faults: [{ kind: 'conditions', at: 150, change: { loss: 0 } }],
        workload: closedLoop({ nodes: ['c'], entries: 1, think: { kind: 'fixed', ms: 0 } }),
      });
    // Two losses, 100 ms apart, and three hops of the token that comes then: to b, to c, and on
    // from c.
    const [twice, once, none] = [run(2), run(1), run(0)];
    expect(twice.messages).toEqual({ token: 2 + 3 });
    expect(once.messages).toEqual({ token: 2 + 3, inquiry: 4 });
    expect(none.messages).toEqual({ token: 1 + 3, inquiry: 1 + 4 });
    expect([twice, once, none].map(({ exclusion }) => exclusion.entries[0]?.enteredAt)).toEqual([
      202, 206, 206,
    ]);
  });

  it('has no bound', () => {
    expect(costOf(regeneratedToken(), 5)).toBeUndefined();
  });
});
