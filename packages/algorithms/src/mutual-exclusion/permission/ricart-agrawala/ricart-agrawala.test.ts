import { readFileSync } from 'node:fs';
import type { ExploreOptions } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { atMost, type LocalState, send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assertEvent, assign, enqueueActions } from 'xstate';
import { costOf, expectBounds, runsUnderLoad } from '../../../contract/cost.contract.js';
import { mutantOf, takeAll, withMachine, withState } from '../../../contract/machines.contract.js';
import { cancelContract } from '../../cancel.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { exclusion, outcomeOf } from '../../outcome.contract.js';
import {
  ricartAgrawala,
  ricartAgrawalaAcknowledged,
  ricartAgrawalaCancellable,
} from './protocol.js';
import {
  type AcknowledgedEvent,
  acknowledgedMachine,
  cancellableAcknowledgedMachine,
  cancellableMachine,
  type Event,
  machine,
} from './ricart-agrawala.js';

const mutant = mutantOf(ricartAgrawala);

mutualExclusionContract({
  protocol: ricartAgrawala,
  topologies: [2, 3, 4, 5].map((n) => complete(n)),
  small: [
    { topology: complete(2), budget: { commands: 2 } },
    { topology: complete(3), budget: { commands: 1, initiators: ['a', 'b'] } },
  ],
  explored: [
    [complete(2), { commands: 1 }, 35],
    [complete(2), { commands: 2 }, 231],
    [complete(3), { commands: 1 }, 6_644],
    [complete(3), { commands: 2, order: 'fifo' }, 284_730],
    // `npm run verify` explores two entries of all three, where messages overtake each other, and
    // an entry of all four: 35 million states.
    [complete(4), { initiators: ['a', 'b', 'c'] }, 232_364],
    [complete(4), { initiators: ['b', 'c', 'd'], order: 'fifo' }, 126_314],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: {
    'no tie-break': mutant(
      'complete:2, 6 steps: at most one node is in the critical section',
      machine.provide({
        guards: {
          oursIsOlder: ({ context, event }) => {
            assertEvent(event, 'request');
            return context.requestedAt < event.ts;
          },
        },
      }),
    ),
  },
});

describe('ricart-agrawala rules', () => {
  const first = (self = 'a'): LocalState =>
    start(machine, self, { self, peers: ['a', 'b', 'c'].filter((id) => id !== self) }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'a', state, events);
  const wanted = () => after(first(), { type: 'acquire' }).state;
  const held = () =>
    after(wanted(), { type: 'reply', from: 'b' }, { type: 'reply', from: 'c' }).state;

  it('[RA1] stamps its request and sends it to every peer', () => {
    const { state, effects } = after(first(), { type: 'acquire' });
    expect(state.value).toBe('wanted');
    expect(effects).toEqual(['b', 'c'].map((peer) => send(peer, { type: 'request', ts: 1 })));
    expect(state.context).toMatchObject({ requestedAt: 1, awaiting: ['b', 'c'] });
  });

  it('[RA2] replies at once while released, and to an older request while wanted; the clock passes the stamp', () => {
    const idle = after(first(), { type: 'request', ts: 5, from: 'b' });
    expect(idle.effects).toEqual([send('b', { type: 'reply' })]);
    expect(idle.state.context.clock).toBe(6);
    const busy = after(after(first('c'), { type: 'acquire' }).state, {
      type: 'request',
      ts: 1,
      from: 'a',
    });
    expect(busy.effects).toEqual([send('a', { type: 'reply' })]);
  });

  it('[RA3] defers a younger request while wanted, and every request while held', () => {
    for (const state of [wanted(), held()]) {
      const { state: next, effects } = after(state, { type: 'request', ts: 9, from: 'c' });
      expect(effects).toEqual([]);
      expect(next.context.deferred).toEqual(['c']);
    }
  });

  it('[RA4] enters with the last reply, not before', () => {
    const one = after(wanted(), { type: 'reply', from: 'b' }).state;
    expect(one.value).toBe('wanted');
    expect(after(one, { type: 'reply', from: 'c' }).state.value).toBe('held');
  });

  it('[RA5] replies to all deferred requests when it leaves, and removes them', () => {
    const { state, effects } = after(
      held(),
      { type: 'request', ts: 2, from: 'c' },
      { type: 'request', ts: 2, from: 'b' },
      { type: 'release' },
    );
    expect(effects).toEqual([send('c', { type: 'reply' }), send('b', { type: 'reply' })]);
    expect(state.context.deferred).toEqual([]);
    expect(state.value).toBe('released');
  });

  it('enters at once without peers', () => {
    const state = start(machine, 'a', { self: 'a', peers: [] }).state;
    expect(step(machine, 'a', state, { type: 'acquire' }).state.value).toBe('held');
  });
});

describe('ricart-agrawala rules with acknowledged', () => {
  const first: LocalState = start(acknowledgedMachine, 'b', {
    self: 'b',
    peers: ['a', 'c'],
    timeout: 1000,
  }).state;
  const after = (state: LocalState, ...events: AcknowledgedEvent[]) =>
    takeAll(acknowledgedMachine, 'b', state, events);
  const from = (from: string, type: 'request' | 'ack' | 'reply' | 'inquire', ts = 1) => ({
    type,
    from,
    ts,
  });
  const wanted = after(first, { type: 'acquire' }).state;
  const held = after(wanted, from('a', 'reply'), from('c', 'reply')).state;
  const timeout = (state: LocalState) => {
    const [timer] = state.timers;
    expect(timer?.delay).toBe(1000);
    const { state: next, effects } = step(
      acknowledgedMachine,
      'b',
      state,
      timer?.event ?? { type: 'none' },
    );
    return { state: next, sent: effects.filter(({ type }) => type === 'send') };
  };

  it('[RA6] acknowledges a request at once, replied to or deferred, and replies to it by its stamp', () => {
    expect(after(first, from('c', 'request', 4)).effects).toEqual([
      send('c', { type: 'ack', ts: 4 }),
      send('c', { type: 'reply', ts: 4 }),
    ]);
    for (const state of [wanted, held]) {
      const deferring = after(state, from('c', 'request', 4));
      expect(deferring.effects).toEqual([send('c', { type: 'ack', ts: 4 })]);
      expect(deferring.state.context.deferred).toEqual([{ ts: 4, id: 'c' }]);
    }
    const left = after(held, from('c', 'request', 4), { type: 'release' });
    expect(left.effects).toEqual([send('c', { type: 'reply', ts: 4 })]);
    expect(left.state.context.deferred).toEqual([]);
  });

  it('[RA7] does not wait for a node that has not answered within the timeout', () => {
    const { state, sent } = timeout(after(wanted, from('c', 'ack')).state);
    expect(state).toMatchObject({ value: 'wanted', context: { awaiting: ['c'], silent: ['c'] } });
    expect(sent).toEqual([expect.objectContaining({ to: 'c' })]);
    expect(timeout(wanted).state.value).toBe('held');
    expect(timeout(after(wanted, from('c', 'reply')).state).state.value).toBe('held');
  });

  it('[RA8] inquires of each node that it awaits; one that has deferred the request answers', () => {
    expect(timeout(after(wanted, from('a', 'ack'), from('c', 'ack')).state).sent).toEqual(
      ['a', 'c'].map((peer) => send(peer, { type: 'inquire', ts: 1 })),
    );
    for (const state of [wanted, held]) {
      const deferring = after(state, from('c', 'request', 4)).state;
      expect(after(deferring, from('c', 'inquire', 4)).effects).toEqual([
        send('c', { type: 'ack', ts: 4 }),
      ]);
      expect(after(deferring, from('c', 'inquire', 2)).effects).toEqual([]);
    }
    expect(after(first, from('c', 'inquire', 4)).effects).toEqual([]);
  });

  it('[RA9] ignores an answer to another request', () => {
    for (const type of ['ack', 'reply'] as const) {
      expect(after(wanted, from('a', type, 0)).state).toEqual(wanted);
      for (const state of [first, held]) expect(after(state, from('a', type)).state).toEqual(state);
    }
  });
});

describe('ricart-agrawala cost', () => {
  it.each<readonly [number, ExploreOptions]>([
    [2, { commands: 2 }],
    [3, { commands: 1 }],
  ])(
    '[RA1] [RA2] [RA5] on %i nodes is 2(n−1) messages per entry, and no less: n−1 requests and n−1 replies, in every interleaving',
    (n, budget) => {
      const bounds = (less: number) => [
        atMost(2 * (n - 1) - less, { per: 'acquire' }),
        atMost(n - 1 - less, { per: 'acquire', of: ['request'] }),
        atMost(n - 1 - less, { per: 'acquire', of: ['reply'] }),
      ];
      expectBounds(ricartAgrawala, complete(n), budget, bounds(0), bounds(1));
      expect(costOf(ricartAgrawala, n)).toEqual(bounds(0)[0]);
    },
  );

  proof(
    'is exactly 2(n−1) messages per entry, under light and heavy load, for every n in 2 … 20',
    () => {
      for (const { n, messages, exclusion } of runsUnderLoad(ricartAgrawala, complete, 20)) {
        expect(exclusion.entries).toHaveLength(3 * n);
        expect(messages).toEqual({ reply: 3 * n * (n - 1), request: 3 * n * (n - 1) });
      }
    },
  );
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

/** The three conditions of the page, each with a machine that breaks it, and nothing else. */
it.each<readonly [string, AnyStateMachine, number, ExploreOptions, number]>([
  [
    '1: older requests that it knows are served',
    machine.provide({ guards: { oursIsOlder: () => false } }),
    2,
    {},
    6,
  ],
  [
    '2: no request that it knows gets a smaller time stamp',
    machine.provide({
      actions: {
        // While it still waits, a node asks again, as if its request were the oldest.
        crossOff: enqueueActions(({ context, event, enqueue }) => {
          assertEvent(event, 'reply');
          const awaiting = context.awaiting.filter((peer) => peer !== event.from);
          enqueue.assign({ awaiting, requestedAt: 0 });
          for (const peer of awaiting) enqueue.emit(send(peer, { type: 'request', ts: 0 }));
        }),
      },
    }),
    3,
    { initiators: ['a', 'b'] },
    10,
  ],
  [
    '3: requests that it does not know yet get larger time stamps',
    machine.provide({ actions: { witness: assign({}) } }),
    2,
    {},
    6,
  ],
])(
  'ricart-agrawala conditions without condition %s, exclusion breaks; the page shows the shortest trace',
  (_condition, broken, n, budget, steps) => {
    const { verdicts, traces } = outcomeOf(
      withMachine(ricartAgrawala, broken),
      complete(n),
      budget,
    );
    expect(verdicts[exclusion]).toBe(`violated in ${steps}`);
    expect(page).toContain(traces[exclusion]);
  },
);

const cancelMutant = mutantOf(ricartAgrawalaCancellable);

cancelContract({
  protocol: ricartAgrawalaCancellable,
  topologies: [2, 3, 4].map((n) => complete(n)),
  explored: [
    [complete(2), { commands: 1 }, 114],
    [complete(2), { commands: 2 }, 2_504],
    [complete(3), { commands: 1 }, 87_518],
  ],
  costs: [{ topology: complete(2), budget: { commands: 2 }, most: 2 }],
  mutants: {
    'the next request does not wait for outstanding replies': cancelMutant(
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
  },
});

cancelContract({
  protocol: ricartAgrawalaAcknowledged({ cancel: true }),
  topologies: [complete(3)],
  explored: [
    [complete(2), {}, 1_620],
    [complete(2), { crashes: 1 }, 6_363],
  ],
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
