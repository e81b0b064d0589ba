import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, send, sometimes } from '@conclave/core/protocol';
import {
  closedLoop,
  poisson,
  simulate,
  totalMessages,
  type Workload,
} from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof, quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign } from 'xstate';
import { expectBounds } from '../../contract/cost.contract.js';
import {
  mutantOf,
  takeAll,
  withMachine,
  withoutSteps,
  withState,
} from '../../contract/machines.contract.js';
import { cancelContract } from '../../mutual-exclusion/cancel.contract.js';
import { exclusionContract } from '../../mutual-exclusion/mutual-exclusion.contract.js';
import {
  entry,
  exclusion,
  ignoringUnexpected,
  outcomeOf,
} from '../../mutual-exclusion/outcome.contract.js';
import { countOf } from '../../mutual-exclusion/token/building-blocks/token.js';
import { type Context, cancellableMachine, type Event, machine } from './multiple-entries.js';
import { multipleEntries } from './protocol.js';

/** It enters although k nodes have not replied. */
const oneTooMany = machine.provide({
  guards: {
    enoughReplies: ({ context: { peers, missing, entries } }) =>
      peers.filter((peer) => countOf(missing, peer) > 0).length <= entries,
  },
});

/** Each request begins with one missing reply per node: late ones count for it. */
const withoutMemory = machine.provide({
  actions: {
    stamp: assign(({ context: { clock, peers }, event }) => {
      assertEvent(event, 'acquire');
      return {
        clock: clock + 1,
        requestedAt: clock + 1,
        missing: Object.fromEntries(peers.map((peer) => [peer, 1])),
      };
    }),
  },
});

const two = multipleEntries();
const cancellable = multipleEntries({ cancel: true });
const mutant = mutantOf(two);
const unstepped = mutantOf(withoutSteps(two));
const atMostTwo = 'at most 2 nodes are in the critical section';

exclusionContract(
  'k-exclusion',
  {
    protocol: two,
    topologies: [3, 4, 5].map((n) => complete(n)),
    small: [
      { topology: complete(2), budget: {} },
      { topology: complete(3), budget: { initiators: ['a'] } },
    ],
    explored: [
      [
        '3 nodes, 1 of them 2 entries, and 2 of them an entry each',
        [
          { topology: complete(3), budget: { initiators: ['a'], commands: 2 } },
          { topology: complete(3), budget: { initiators: ['a', 'b'] } },
        ],
        {},
        595,
      ],
      [complete(3), {}, 29_332],
      [complete(3), { initiators: ['a', 'b'], commands: 2 }, 91_465],
      [complete(4), { initiators: ['a', 'b', 'c'] }, 599_136],
    ],
    costs: [3, 5, 9].map((n) => complete(n)),
    mutants: {
      'a node enters with one reply fewer': unstepped(
        `complete:3, 3 steps: ${atMostTwo}`,
        oneTooMany,
      ),
      'late replies are not told from others': mutant(
        'complete:3, 5 steps: a request adds one missing reply for each other node, and a reply takes off as many as it counts',
        withoutMemory,
      ),
    },
  },
  [],
);

cancelContract({
  protocol: cancellable,
  topologies: [3, 4].map((n) => complete(n)),
  explored: [
    [complete(3), { initiators: ['a', 'b'] }, 1_453],
    [complete(3), {}, 182_428],
  ],
  costs: [{ topology: complete(3), budget: { initiators: ['a', 'b'] }, most: 4 }],
  mutants: {
    'a node that has cancelled gets no replies': mutantOf(cancellable)(
      "complete:3, 3 steps: Node a in 'released' does not handle 'reply' (from b)",
      withState(cancellableMachine, ['released'], {
        on: {
          acquire: { target: 'wanted', actions: ['stamp', 'requestAll'] },
          request: { actions: ['witness', 'reply'] },
        },
      }),
    ),
  },
});

describe('multiple-entries rules', () => {
  const first = (self = 'a', entries = 2): LocalState =>
    start(machine, self, { self, peers: ['a', 'b', 'c'].filter((id) => id !== self), entries })
      .state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'a', state, events);
  const reply = (from: string, count = 1): Event => ({ type: 'reply', from, count });
  const request = (from: string, ts: number): Event => ({ type: 'request', from, ts });
  const [acquire, release] = [{ type: 'acquire' }, { type: 'release' }] as const;
  const wanted = () => after(first(), acquire).state;
  const held = () => after(wanted(), reply('b')).state;
  const missingIn = ({ context }: LocalState): unknown => (context as Partial<Context>).missing;

  it('[KE1] stamps its request, sends it to every peer, and misses one reply more of each', () => {
    const { state, effects } = after(first(), acquire);
    expect(state.value).toBe('wanted');
    expect(effects).toEqual(['b', 'c'].map((peer) => send(peer, { type: 'request', ts: 1 })));
    expect(state.context).toMatchObject({ requestedAt: 1, missing: { b: 1, c: 1 } });
    const again = after(held(), release, acquire).state;
    expect(again.context).toMatchObject({ requestedAt: 2, missing: { b: 1, c: 2 } });
  });

  it('[KE2] replies at once while released, and to an older request while wanted; the clock passes the stamp', () => {
    const idle = after(first(), request('b', 5));
    expect(idle.effects).toEqual([send('b', { type: 'reply', count: 1 })]);
    expect(idle.state.context.clock).toBe(6);
    const busy = after(after(first('c'), acquire).state, request('a', 1));
    expect(busy.effects).toEqual([send('a', { type: 'reply', count: 1 })]);
  });

  it('[KE3] defers a younger request while wanted, and every request while held, and counts them', () => {
    for (const state of [wanted(), held()]) {
      const { state: next, effects } = after(state, request('c', 9), request('c', 12));
      expect(effects).toEqual([]);
      expect(next.context.deferred).toEqual({ b: 0, c: 2 });
    }
  });

  it('[KE4] enters with n−k replies, not before, and only if no earlier request lacks one', () => {
    expect(wanted().value).toBe('wanted');
    expect(held().value).toBe('held');
    const again = after(held(), release, acquire).state; // c has not replied to the first request
    expect(after(again, reply('c')).state.value).toBe('wanted');
    expect(after(again, reply('c', 2)).state.value).toBe('held');
    expect(after(again, reply('b')).state.value).toBe('held');
    expect(after(first('a', 1), acquire, reply('b')).state.value).toBe('wanted');
    expect(after(first('a', 1), acquire, reply('b'), reply('c')).state.value).toBe('held');
  });

  it('[KE5] sends one reply to each node when it leaves, for all of its deferred requests', () => {
    const { state, effects } = after(
      held(),
      request('c', 2),
      request('b', 2),
      request('c', 7),
      release,
    );
    expect(effects).toEqual([
      send('b', { type: 'reply', count: 1 }),
      send('c', { type: 'reply', count: 2 }),
    ]);
    expect(state).toMatchObject({ value: 'released', context: { deferred: { b: 0, c: 0 } } });
  });

  it('[KE6] counts a late reply in every state', () => {
    expect(missingIn(held())).toEqual({ b: 0, c: 1 });
    expect(missingIn(after(held(), reply('c')).state)).toEqual({ b: 0, c: 0 });
    expect(missingIn(after(held(), release, reply('c')).state)).toEqual({ b: 0, c: 0 });
    expect(missingIn(after(held(), release, acquire, reply('c')).state)).toEqual({ b: 1, c: 1 });
  });

  it('[KE7] a node that cancels replies to all deferred requests, and may request again at once', () => {
    const state = start(cancellableMachine, 'a', {
      self: 'a',
      peers: ['b', 'c'],
      entries: 1,
    }).state;
    const cancelled = takeAll(cancellableMachine, 'a', state, [
      acquire,
      request('c', 9),
      { type: 'cancel' },
    ]);
    expect(cancelled.effects).toEqual([send('c', { type: 'reply', count: 1 })]);
    expect(cancelled.state.value).toBe('released');
    const again = takeAll(cancellableMachine, 'a', cancelled.state, [acquire, reply('b')]);
    expect(missingIn(again.state)).toEqual({ b: 1, c: 2 });
  });

  it('enters at once where k nodes are all nodes', () => {
    expect(after(first('a', 3), acquire).state.value).toBe('held');
  });
});

describe('multiple-entries cost', () => {
  it.each(
    quickOf(
      [
        [1, 2, { commands: 2 }],
        [2, 3, { initiators: ['a', 'b'] }],
        [2, 3, {}],
        [2, 3, { initiators: ['a', 'b'], commands: 2 }],
      ] satisfies [number, number, ExploreOptions][],
      ([n, , budget]) => n === 1 || Object.keys(budget).length === 1,
    ),
  )(
    'is at most 2(n−1) messages per entry, and that is tight: k = %i of %i nodes, %o, every interleaving',
    (entries, n, budget) => {
      const all = 2 * (n - 1);
      const bounds = [
        atMost(all, { per: 'acquire' }),
        atMost(n - 1, { per: 'acquire', of: ['reply'] }),
      ];
      const tighter = [atMost(all - 1, { per: 'acquire' })];
      expectBounds(multipleEntries({ entries }), complete(n), budget, bounds, tighter);
    },
  );

  /** Messages per entry in a run of n nodes, each of which enters 3 times. */
  const perEntry = (n: number, entries: number, workload: Workload): number => {
    const found = simulate({
      protocol: multipleEntries({ entries }),
      topology: complete(n),
      workload,
      conditions: { order: 'any', delay: { kind: 'uniform', least: 0, most: 30 } },
    });
    expect(found.exclusion.entries).toHaveLength(3 * n);
    return totalMessages(found) / (3 * n);
  };

  it.each(
    quickOf(
      [
        [2, 4],
        [5, 9],
      ],
      ([, largest]) => largest <= 4,
    ),
  )(
    'is exactly 2(n−1) at light load, and from 2n−k−1 to that at heavy load, for every k in 1 … n and n in %i … %i',
    (fewest, largest) => {
      const heavy = closedLoop({ entries: 3, think: { kind: 'fixed', ms: 0 } });
      for (let n = fewest; n <= largest; n++)
        for (let entries = 1; entries <= n; entries++) {
          const most = 2 * (n - 1);
          expect(perEntry(n, entries, poisson({ mean: 100_000, entries: 3 }))).toBe(most);
          expect(perEntry(n, entries, heavy)).toBeLessThanOrEqual(most);
          expect(perEntry(n, entries, heavy)).toBeGreaterThanOrEqual(2 * n - entries - 1);
        }
    },
  );

  it('comes near to 2n−k−1 where k−1 nodes stay inside while another one enters many times', () => {
    const [n, entries, times] = [5, 3, 20];
    const stays: Workload = (application) => {
      const enters = (id: string, at: number, ms: number) => {
        application.later({ kind: 'fixed', ms: at }, () =>
          application.tell(id, { type: 'acquire' }),
        );
        application.later({ kind: 'fixed', ms: at + ms }, () =>
          application.tell(id, { type: 'release' }),
        );
      };
      for (const id of ['b', 'c']) enters(id, 0, 10_000);
      for (let time = 1; time <= times; time++) enters('a', 100 * time, 50);
      return () => {};
    };
    const { messages } = simulate({
      protocol: multipleEntries({ entries }),
      topology: complete(n),
      workload: stays,
      conditions: { order: 'any', delay: { kind: 'fixed', ms: 1 } },
    });
    const ownEntries = times + 2;
    expect(messages.request).toBe(ownEntries * (n - 1));
    // a gets n−k replies to each request, and at last one more of b and of c for all
    expect(messages.reply).toBe(times * (n - entries) + 2 + 2 * (n - 1));
  });
});

const one = multipleEntries({ entries: 1 });

describe('multiple-entries', () => {
  it.each(
    quickOf(
      [
        [1, 2, {}, 35],
        [2, 3, { initiators: ['a', 'b'] }, 498],
        [2, 3, {}, 29_332],
      ] satisfies [number, number, ExploreOptions, number][],
      ([, , , states]) => states <= 1_000,
    ),
  )(
    'k = %i of %i nodes are inside at once, and never one more: %o, %i states',
    (entries, n, budget, states) => {
      const found = explore(multipleEntries({ entries }), complete(n), {
        ...budget,
        properties: [entries, entries + 1].map((count) =>
          sometimes(`${count} inside`, (system) => system.count('critical') === count),
        ),
      });
      expect(found).toMatchObject({ complete: true, states });
      expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
        'reached',
        'unreached',
      ]);
    },
  );

  it.each([
    [{}, 35],
    [{ commands: 2 }, 231],
  ])('with k = 1, two nodes have as many states as by Ricart–Agrawala: %o', (budget, states) => {
    const found = outcomeOf(one, complete(2), budget);
    expect(found.states).toBe(states);
    expect(found.verdicts).toMatchObject({ [exclusion]: 'holds', [entry]: 'holds' });
  });
});

describe('multiple-entries assumptions', () => {
  it.each([
    ['a lost message', { losses: 1 }, 'holds', 'violated in 2'],
    ['a duplicated message', { duplications: 1 }, 'violated in 10', 'holds'],
    ['a crash', { crashes: 1 }, 'holds', 'violated in 2'],
    ['a crash and a restart', { crashes: 1, restarts: 1 }, 'violated in 8', 'violated in 2'],
  ] satisfies [string, ExploreOptions, string, string][])(
    'with k = 1, %s: exclusion and entry',
    (_what, fault, safe, live) => {
      const { verdicts } = outcomeOf(ignoringUnexpected(one), complete(2), {
        commands: 2,
        ...fault,
      });
      expect(verdicts).toMatchObject({ [exclusion]: safe, [entry]: live });
    },
  );

  it.each([
    ['a lost message', { losses: 1 }, 1_409],
    ['a crash', { crashes: 1 }, 3_874],
  ] satisfies [string, ExploreOptions, number][])(
    'with k = 2, every live node of three enters in spite of %s, if two request entry',
    (_what, fault, states) => {
      const found = outcomeOf(two, complete(3), { initiators: ['a', 'b'], ...fault });
      expect(found.states).toBe(states);
      expect(found.verdicts).toMatchObject({ [atMostTwo]: 'holds', [entry]: 'holds' });
    },
  );

  proof.each([
    ['a lost message', { losses: 1 }, 99_119],
    ['a crash', { crashes: 1 }, 274_504],
  ] satisfies [string, ExploreOptions, number][])(
    'with k = 2, every live node of three enters in spite of %s, if all request entry',
    (_what, fault, states) => {
      const found = outcomeOf(two, complete(3), fault);
      expect(found.states).toBe(states);
      expect(found.verdicts).toMatchObject({ [atMostTwo]: 'holds', [entry]: 'holds' });
    },
  );

  proof('with k = 2, two crashes leave a node of three without its replies', () => {
    const found = outcomeOf(two, complete(3), { initiators: ['a', 'b'], crashes: 2 });
    expect(found.states).toBe(9_352);
    expect(found.verdicts).toMatchObject({ [atMostTwo]: 'holds', [entry]: 'violated in 3' });
  });

  proof('with k = 2, a node that restarts with its clock at 0 is the third one inside', () => {
    const { verdicts } = outcomeOf(two, complete(3), { crashes: 1, restarts: 1 });
    expect(verdicts).toMatchObject({ [atMostTwo]: 'violated in 11', [entry]: 'holds' });
  });

  it('a node that takes late replies for replies to its next request is the third one inside', () => {
    const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    const { properties } = explore(withoutSteps(withMachine(two, withoutMemory)), complete(3), {
      commands: 2,
      order: 'fifo',
      all: false,
    });
    const wrong = properties.find(({ verdict }) => verdict === 'violated');
    expect([wrong?.name, wrong?.trace?.lines.length]).toEqual([atMostTwo, 13]);
    expect(page).toContain(linesText(wrong?.trace?.lines ?? []));
  });
});
