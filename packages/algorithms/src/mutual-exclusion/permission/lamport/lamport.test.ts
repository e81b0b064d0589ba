import { readFileSync } from 'node:fs';
import type { ExploreOptions } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { atMost, type LocalState, send } from '@conclave/core/protocol';
import { closedLoop } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign } from 'xstate';
import { costOf, expectBounds } from '../../../contract/cost.contract.js';
import { mutantOf, takeAll, withMachine } from '../../../contract/machines.contract.js';
import { failingOverReliable, sweep } from '../../../contract/sweep.contract.js';
import { cancelContract } from '../../cancel.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import {
  allHold,
  entry,
  everyMessageHandled,
  exclusion,
  fencing,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../outcome.contract.js';
import { cancellableMachine, type Event, machine } from './lamport.js';
import { lamport, lamportCancellable } from './protocol.js';

const mutant = mutantOf(lamport);

mutualExclusionContract({
  protocol: lamport,
  topologies: [2, 3, 4, 5].map((n) => complete(n)),
  small: [
    { topology: complete(2), budget: { commands: 1 } },
    { topology: complete(3), budget: { commands: 1, initiators: ['b'] } },
  ],
  explored: [
    [complete(2), { commands: 1 }, 78],
    [complete(2), { commands: 2 }, 1_604],
    [complete(2), { commands: 3 }, 13_149],
    [complete(3), { commands: 1, initiators: ['a', 'b'] }, 1_873],
    [complete(4), { commands: 1, initiators: ['a', 'b'] }, 34_939],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: {
    'receipt sets the clock to the stamp, not beyond': mutant(
      'complete:2, 2 steps: a clock passes every time stamp received, and never jumps ahead',
      machine.provide({
        actions: {
          witness: assign(({ context, event }) => {
            assertEvent(event, ['request', 'ack', 'released']);
            return { clock: Math.max(context.clock, event.ts) };
          }),
        },
      }),
    ),
    'a message counts, whatever its age': mutant(
      'complete:2, 12 steps: at most one node is in the critical section',
      machine.provide({
        actions: {
          crossOff: assign(({ context, event }) => {
            assertEvent(event, ['request', 'ack', 'released']);
            return { awaiting: context.awaiting.filter((id) => id !== event.from) };
          }),
        },
      }),
    ),
  },
});

it('seeded runs refute a wrong version: a receipt that does not advance the clock', () => {
  const wrong = withMachine(lamport, machine.provide({ actions: { witness: assign({}) } }));
  const workload = () => closedLoop({ entries: 2 });
  const { failure } = sweep({ protocol: wrong, topologies: [complete(3)], workload, seeds: [1] });
  expect(failure).toContain('on complete:3');
});

describe('lamport rules', () => {
  const first = (self = 'b'): LocalState =>
    start(machine, self, { self, peers: ['a', 'b', 'c'].filter((id) => id !== self) }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'b', state, events);
  const wanted = () => after(first(), { type: 'acquire' }).state;
  const ack = (from: string, ts = 2): Event => ({ type: 'ack', ts, from });
  const request = (from: string, ts: number): Event => ({ type: 'request', ts, from });
  const held = () => after(wanted(), ack('a'), ack('c')).state;

  it('[LA1] stamps its request, queues it, and sends it to every peer', () => {
    const { state, effects } = after(first(), { type: 'acquire' });
    expect(effects).toEqual(['a', 'c'].map((peer) => send(peer, { type: 'request', ts: 1 })));
    expect(state).toMatchObject({
      value: 'wanted',
      context: { queue: [{ ts: 1, id: 'b' }], awaiting: ['a', 'c'] },
    });
  });

  it('[LA2] queues a request in its place and acknowledges it with a later stamp, in any state', () => {
    for (const state of [first(), wanted(), held()]) {
      const { state: next, effects } = after(state, request('c', 7), request('a', 7));
      expect(effects).toEqual([send('a', { type: 'ack', ts: 9 })]);
      expect(next.context.queue).toEqual([
        ...(state.context.queue as object[]),
        { ts: 7, id: 'a' },
        { ts: 7, id: 'c' },
      ]);
    }
  });

  it('[LA3] enters when its request is the oldest and a younger message has come from every peer', () => {
    expect(after(wanted(), ack('a')).state.value).toBe('wanted');
    expect(after(wanted(), ack('a'), ack('c')).state.value).toBe('held');
    // (1, c) is younger than (1, b)
    expect(after(wanted(), request('c', 1), ack('a')).state.value).toBe('held');
    // (1, a) is older
    expect(after(wanted(), request('a', 1), ack('a'), ack('c')).state.value).toBe('wanted');
    // sent before the request arrived
    expect(after(wanted(), ack('a', 1), ack('c')).state.value).toBe('wanted');
  });

  it('[LA4] removes its request from every queue when it leaves', () => {
    const { state, effects } = after(held(), request('a', 4), { type: 'release' });
    expect(effects).toEqual(['a', 'c'].map((peer) => send(peer, { type: 'released', ts: 6 })));
    expect(state).toMatchObject({ value: 'released', context: { queue: [{ ts: 4, id: 'a' }] } });
  });

  it('[LA5] enters when the older request is removed', () => {
    const second = after(wanted(), request('a', 1), ack('a'), ack('c')).state;
    expect(after(second, { type: 'released', ts: 4, from: 'a' }).state.value).toBe('held');
  });

  it('enters at once without peers', () => {
    expect(
      after(start(machine, 'b', { self: 'b', peers: [] }).state, { type: 'acquire' }).state.value,
    ).toBe('held');
  });
});

describe('lamport assumptions', () => {
  it('overtaking breaks safety: an acknowledgement arrives before the older request', () => {
    const { states, verdicts, traces } = outcomeOf(lamport, complete(2), {
      commands: 1,
      order: 'any',
    });
    expect(states).toBe(306);
    // The explorer does not search beyond an unhandled message: liveness stays open.
    expect(verdicts).toMatchObject({
      [exclusion]: 'violated in 4',
      [entry]: 'incomplete',
      [everyMessageHandled]: 'violated in 5',
    });
    expect(readFileSync(new URL('./README.md', import.meta.url), 'utf8')).toContain(
      traces[exclusion],
    );
  });

  proof(
    'with two entries each a node also waits forever: a request arrives after its own released',
    () => {
      const { states, verdicts } = outcomeOf(lamport, complete(2), { commands: 2, order: 'any' });
      expect(states).toBe(278_975);
      expect(verdicts).toMatchObject({
        [exclusion]: 'violated in 4',
        [quiescence]: 'violated in 16',
      });
    },
  );

  it.each([
    [2, 173, 5, 7],
    [3, 5_972, 9, 9],
  ])('one lost message among %i nodes breaks safety and liveness', (n, states, unsafe, stuck) => {
    const found = outcomeOf(lamport, complete(n), {
      commands: 1,
      losses: 1,
      initiators: ['a', 'b'],
    });
    expect(found.states).toBe(states);
    expect(found.verdicts).toMatchObject({
      [exclusion]: `violated in ${unsafe}`,
      [quiescence]: `violated in ${stuck}`,
    });
  });

  it('a node that crashes stops all others; exclusion holds', () => {
    const { states, verdicts } = outcomeOf(lamport, complete(2), { commands: 1, crashes: 1 });
    expect(states).toBe(377);
    expect(verdicts).toMatchObject({
      ...allHold,
      [entry]: 'violated in 2',
      [quiescence]: 'violated in 4',
    });
  });

  proof('a reliable link compensates loss, duplication and overtaking', () => {
    expect(failingOverReliable(lamport, complete(4), 50)).toEqual([]);
  });
});

describe('lamport fencing', () => {
  it.each([
    ['a crash is harmless', 2, { commands: 2, crashes: 1 }, 'holds'],
    ['a message that overtakes', 3, { order: 'any', initiators: ['a', 'b'] }, 'violated in 8'],
    ['a lost message', 3, { losses: 1, initiators: ['a', 'b'] }, 'violated in 9'],
    ['a node that restarts with its clock at 0', 2, { crashes: 1, restarts: 1 }, 'violated in 8'],
  ] satisfies [string, number, ExploreOptions, string][])(
    'tokens grow; what breaks that: %s',
    (_what, n, fault, verdict) => {
      expect(outcomeOf(ignoringUnexpected(lamport), complete(n), fault).verdicts).toMatchObject({
        [fencing]: verdict,
      });
    },
  );
});

describe('lamport cost', () => {
  it.each([
    [2, { commands: 2 }],
    [3, { initiators: ['a', 'b'] }],
  ] satisfies [number, ExploreOptions][])(
    'on %i nodes, in every interleaving: at most n−1 of each message per entry, and this bound is reached',
    (n, budget) => {
      const each = ['request', 'ack', 'released'].map((type) =>
        atMost(n - 1, { per: 'acquire', of: [type] }),
      );
      const all = atMost(3 * (n - 1), { per: 'acquire' });
      const less = atMost(3 * (n - 1) - 1, { per: 'acquire' });
      expectBounds(lamport, complete(n), budget, [...each, all], [less]);
      expect(costOf(lamport, n)).toEqual(all);
    },
  );
});

cancelContract({
  protocol: lamportCancellable,
  topologies: [2, 3, 4].map((n) => complete(n)),
  explored: [
    [complete(2), {}, 322],
    [complete(2), { commands: 2 }, 44_152],
  ],
  costs: [{ topology: complete(2), budget: {}, most: 3 }],
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
