import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, type Protocol, send } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign, enqueueActions } from 'xstate';
import { costOf, expectBounds } from '../../../contract/cost.contract.js';
import { failing, propertyNamed } from '../../../contract/findings.contract.js';
import {
  mutantOf,
  takeAll,
  withMachine,
  withoutSteps,
} from '../../../contract/machines.contract.js';
import { shuffledRing } from '../../../contract/networks.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import { countedTokenContract, withFaults } from '../building-blocks/token-faults.contract.js';
import { type Event, machine } from './hunted-token.js';
import { huntedToken } from './protocol.js';

const nowhere = '';

/**
 * The literal sketch: the token moves to the next node that hunts it, and stays there unless
 * another hunt has arrived meanwhile.
 */
const asSketched = machine.provide({
  guards: { tokenIsComing: () => false },
  actions: {
    grantRound: assign({ end: nowhere }),
    countEntry: assign(({ context }) => ({ end: context.self, entries: context.entries + 1 })),
  },
});

const plain = huntedToken();
const mutant = mutantOf(withoutSteps(plain));

mutualExclusionContract({
  protocol: plain,
  topologies: [ring(2), ring(3), ring(4), shuffledRing(6, 1)],
  small: [
    { topology: ring(2), budget: { commands: 2 } },
    { topology: ring(3), budget: { commands: 1 } },
  ],
  explored: [
    [ring(2), { commands: 3 }, 209],
    [ring(3), { commands: 2 }, 7_550],
    [ring(3), { commands: 3 }, 127_188],
    [ring(4), { commands: 1 }, 4_626],
    [ring(4), { commands: 3, initiators: ['b', 'd'] }, 6_918],
    [ring(5), { commands: 1 }, 93_087],
    [
      'nothing overtakes: 3 nodes, 3 entries each; 4 nodes, 2 entries each; 6 nodes, an entry each',
      [
        { topology: ring(3), budget: { order: 'fifo', commands: 3 } },
        { topology: ring(4), budget: { order: 'fifo', commands: 2 } },
        { topology: ring(6), budget: { order: 'fifo', commands: 1 } },
      ],
      {},
      9_120 + 42_096 + 96_025,
    ],
  ],
  costs: [2, 3, 5, 9].map((n) => ring(n)),
  mutants: {
    'as sketched: the token stays at the first node that hunts it': mutant(
      'ring:2, 10 steps: no node waits in a quiescent state',
      asSketched,
    ),
    'a round goes to the next node only': mutant(
      'ring:3, 11 steps: no node waits in a quiescent state',
      machine.provide({
        actions: { grantRound: assign(({ context }) => ({ end: context.next })) },
      }),
    ),
  },
});

describe('hunted-token rules', () => {
  const first = (first: boolean): LocalState =>
    start(machine, 'm', { self: 'm', next: 'n', first }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const acquire: Event = { type: 'acquire' };
  const release: Event = { type: 'release' };
  const hunt = (hop: number): Event => ({ type: 'hunt', hop, from: 'l' });
  const token = (hop: number, end: string): Event => ({
    type: 'token',
    hop,
    end,
    entries: 4,
    from: 'l',
  });
  const hunts = (hop: number) => [send('n', { type: 'hunt', hop })];
  const passes = (hop: number, end: string, entries = 4) => [
    send('n', { type: 'token', hop, end, entries }),
  ];
  /** The token was here with hop count 3. */
  const away = () => after(first(false), token(3, 'k')).state;
  const expecting = () => after(away(), hunt(2)).state;
  const wanted = () => after(away(), acquire).state;
  const held = () => after(wanted(), token(6, 'k')).state;

  it('[HT1] a node with the resting token enters at once; another one sends a hunt, unless it has sent one since the last visit', () => {
    expect(after(first(true), acquire)).toMatchObject({
      effects: [],
      state: { value: 'held', context: { entries: 1 } },
    });
    expect(after(away(), acquire)).toMatchObject({ effects: hunts(3), state: { value: 'wanted' } });
    expect(after(expecting(), acquire)).toMatchObject({ effects: [], state: { value: 'wanted' } });
  });

  it('[HT2] a hunt is passed on, and no further one before the next visit of the token', () => {
    const { state, effects } = after(away(), hunt(2));
    expect({ value: state.value, effects }).toEqual({
      value: { released: 'expecting' },
      effects: hunts(3),
    });
    for (const state of [expecting(), wanted()])
      expect(after(state, hunt(2))).toMatchObject({ effects: [], state });
    expect(after(expecting(), token(6, 'k'), hunt(5)).effects).toEqual(hunts(6));
  });

  it('[HT3] a hunt that reaches the token grants it a round, up to the last sender of the hunt', () => {
    const { state, effects } = after(first(true), hunt(0));
    expect(effects).toEqual(passes(2, 'l', 0));
    expect(state).toMatchObject({
      value: { released: 'away' },
      context: { hop: 1, end: null, entries: 0 },
    });
    expect(after(held(), hunt(5))).toMatchObject({
      effects: [],
      state: { value: 'held', context: { end: 'l' } },
    });
  });

  it('[HT4] a waiting node enters with the token, and counts the entry', () => {
    expect(after(wanted(), token(6, 'k'))).toMatchObject({
      effects: [],
      state: { value: 'held', context: { hop: 6, end: 'k', entries: 5 } },
    });
  });

  it('[HT5] the token goes on where the node does not wait, or has left, and rests where its round ends', () => {
    for (const state of [away(), expecting()]) {
      expect(after(state, token(6, 'k'))).toMatchObject({
        effects: passes(7, 'k'),
        state: { value: { released: 'away' } },
      });
      expect(after(state, token(6, 'm'))).toMatchObject({
        effects: [],
        state: { value: { released: 'here' } },
      });
    }
    expect(after(held(), release)).toMatchObject({
      effects: passes(7, 'k', 5),
      state: { context: { end: null, entries: 0 } },
    });
    expect(after(wanted(), token(6, 'm'), release).state.value).toEqual({ released: 'here' });
    expect(after(wanted(), token(6, 'm'), hunt(5), release).effects).toEqual(passes(7, 'l', 5));
  });

  it('[HT6] a hunt that has overtaken the token is kept, and grants it a round', () => {
    for (const state of [away(), expecting()]) {
      const early = after(state, hunt(5));
      expect(early).toMatchObject({
        effects: [],
        state: { value: { released: 'expecting' }, context: { end: 'l' } },
      });
      expect(after(early.state, token(6, 'm')).effects).toEqual(passes(7, 'l'));
    }
    const early = after(wanted(), hunt(5));
    expect(early).toMatchObject({ effects: [], state: { value: 'wanted' } });
    expect(after(early.state, token(6, 'm'), release).effects).toEqual(passes(7, 'l', 5));
  });

  proof(
    'holder: the token starts there, at any node; ids are only tested for equality, so all positions have equally many states',
    () => {
      for (const holder of ['a', 'b', 'c', 'd']) {
        const found = explore(huntedToken({ holder }), ring(['c', 'a', 'd', 'b']));
        expect(found).toMatchObject({ complete: true, states: 4_626, transitions: 10_282 });
        expect(failing(found)).toEqual([]);
      }
      expect(() => simulate({ protocol: huntedToken({ holder: 'z' }), topology: ring(3) })).toThrow(
        /the option holder names the node 'z'/,
      );
    },
  );
});

countedTokenContract(plain, { topology: ring(3), duplicated: 7, restarted: 7 });

describe('hunted-token cost', () => {
  proof.each([
    [2, 3, 2],
    [3, 2, 5],
    [4, 1, 7],
    [5, 1, 9],
  ])(
    'is at most 2(n−1) messages per request among %i nodes with %i each, and this bound is reached',
    (n, commands, steps) => {
      const [bound, less] = [
        atMost(2 * (n - 1), { per: 'acquire' }),
        atMost(2 * (n - 1) - 1, { per: 'acquire' }),
      ];
      const halves = [
        atMost(n - 1, { per: 'acquire', of: ['hunt'] }),
        atMost(n - 1, { per: 'acquire', of: ['token'] }),
      ];
      const found = expectBounds(plain, ring(n), { commands }, [bound, ...halves], [less]);
      expect(propertyNamed(found.properties, less.name).trace?.lines).toHaveLength(steps);
      expect(costOf(plain, n)).toEqual(bound);
    },
  );

  it('has no bound if a node keeps the end of the round when it passes the token on: the token never rests', () => {
    // With FIFO channels hops need not be counted; counted, they would make infinitely many worlds.
    const mindful = machine.provide({
      guards: { tokenIsComing: () => false },
      actions: {
        passToken: enqueueActions(({ context: { next, end, entries }, enqueue }) => {
          if (end !== null) enqueue.emit(send(next, { type: 'token', hop: 0, end, entries }));
        }),
      },
    });
    const found = explore(withoutSteps(withMachine(plain, mindful)), ring(3), { order: 'fifo' });
    expect(found.complete).toBe(true);
    expect(failing(found)).toEqual([
      'the token comes to rest: each request causes a bounded number of messages',
    ]);
  });

  it('one request alone costs n … 2(n−1) messages, by the distance of the token', () => {
    for (const n of [2, 3, 5, 9, 20]) {
      const names = ring(n).nodes;
      for (const [place, node] of names.entries()) {
        const { messages } = simulate({
          protocol: plain,
          topology: ring(n),
          workload: closedLoop({ nodes: [node] }),
        });
        const hops = (n - place) % n;
        expect(messages).toEqual(hops === 0 ? {} : { hunt: hops, token: n - 1 });
      }
    }
  });

  proof('at light load is (n−1)/n · (3n/2 − 1) on average, within 2 %, for n = 4 … 16', () => {
    for (const n of [4, 8, 16]) {
      const entries = 4096 / n;
      const result = simulate({
        protocol: plain,
        topology: ring(n),
        properties: [],
        workload: poisson({ mean: 10_000 * n * n, entries, hold: { kind: 'fixed', ms: 1 } }),
      });
      const ratio =
        totalMessages(result) / result.exclusion.entries.length / (((n - 1) / n) * (1.5 * n - 1));
      expect(ratio).toBeGreaterThan(0.98);
      expect(ratio).toBeLessThan(1.02);
    }
  });

  proof(
    'at heavy load is 2 messages per entry for n = 2 … 64, except for the first: a hop, and a hunt that the next node does not pass on',
    () => {
      for (const n of [2, 3, 4, 8, 16, 64]) {
        const workload = closedLoop({ entries: 40, think: { kind: 'fixed', ms: 0 } });
        const { exclusion, messages } = simulate({ protocol: plain, topology: ring(n), workload });
        expect(exclusion.entries).toHaveLength(40 * n);
        expect(messages).toEqual({ hunt: 40 * n - 1, token: 40 * n - 1 });
      }
    },
  );
});

greedyContract({
  make: huntedToken,
  topology: ring,
  states: [
    [2, { commands: 2 }, 92],
    [3, { commands: 2 }, 10_225],
  ],
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

/** Of each property: the verdict, and the number of steps to a violation. */
const verdicts = (protocol: Protocol, n: number, budget: ExploreOptions) =>
  withFaults(protocol, ring(n), budget, {
    quiescent: 'the token comes to rest: each request causes a bounded number of messages',
  });
const names = ['exclusion', 'enters', 'token', 'quiescent', 'handled', 'rest'];
const allHold = Object.fromEntries(names.map((name) => [name, 'holds']));

describe('hunted-token as sketched', () => {
  const sketch = withMachine(plain, asSketched);

  it('is right among two nodes, if no message overtakes', () => {
    expect(verdicts(sketch, 2, { order: 'fifo', commands: 3 }).found).toEqual({
      ...allHold,
      states: 193,
    });
  });

  it('forgets a node that hunts from behind another one', () => {
    const { found, text } = verdicts(sketch, 3, { order: 'fifo' });
    expect(found).toEqual({
      ...allHold,
      states: 125,
      enters: 'violated in 6',
      rest: 'violated in 8',
    });
    expect(page).toContain(text('enters'));
  });
});

describe('hunted-token assumptions', () => {
  const unnumbered = withMachine(
    plain,
    machine.provide({ guards: { tokenIsComing: () => false } }),
  );

  proof.each([
    [2, 2, 74],
    [3, 2, 1_809],
    [4, 1, 1_380],
  ])(
    'without the hop count it is right among %i nodes with %i entries each, if no message overtakes',
    (n, commands, states) => {
      expect(verdicts(unnumbered, n, { order: 'fifo', commands }).found).toEqual({
        ...allHold,
        states,
      });
    },
  );

  it.each([
    [2, 23, 6, 6],
    [3, 325, 7, 9],
    [4, 7168, 8, 12],
  ])(
    'without the hop count, a hunt that overtakes the token is lost among %i nodes',
    (n, states, starves, rest) => {
      const { found, text } = verdicts(unnumbered, n, { order: 'any' });
      expect(found).toEqual({
        ...allHold,
        states,
        enters: `violated in ${starves}`,
        rest: `violated in ${rest}`,
      });
      if (n === 2) expect(page).toContain(text('enters'));
    },
  );

  it.each([
    [2, 32, 4],
    [3, 499, 6],
  ])('one lost message among %i nodes breaks liveness, not safety', (n, states, rest) => {
    expect(verdicts(plain, n, { losses: 1 }).found).toEqual({
      ...allHold,
      states,
      enters: 'violated in 2',
      token: 'violated in 3',
      rest: `violated in ${rest}`,
    });
  });

  it('a duplicated token lets in two nodes', () => {
    const { found, text } = verdicts(plain, 3, { duplications: 1 });
    expect(found).toMatchObject({
      states: 3_813,
      exclusion: 'violated in 7',
      token: 'violated in 3',
      handled: 'violated in 5',
    });
    expect(page).toContain(text('exclusion'));
  });

  it.each([
    [2, 2, 1_534],
    [3, 1, 5_620],
  ])(
    'a node may send two hunts at once: all properties hold among %i nodes with %i entries each',
    (n, commands, states) => {
      const twice = machine.provide({
        actions: {
          hunt: enqueueActions(({ context: { next, hop }, event, enqueue }) => {
            const times = event.type === 'acquire' ? 2 : 1;
            for (let i = 0; i < times; i++) enqueue.emit(send(next, { type: 'hunt', hop }));
          }),
        },
      });
      expect(verdicts(withMachine(plain, twice), n, { commands }).found).toEqual({
        ...allHold,
        states,
      });
    },
  );

  it.each([
    [2, 84, 4],
    [3, 1_391, 6],
  ])(
    'no node may crash among %i, not even one that does not request entry: neither hunt nor token passes it',
    (n, states, rest) => {
      expect(verdicts(plain, n, { crashes: 1 }).found).toEqual({
        ...allHold,
        states,
        enters: 'violated in 2',
        token: 'violated in 1',
        rest: `violated in ${rest}`,
      });
    },
  );

  proof('the first holder must not restart: it would start as the holder again', () => {
    expect(verdicts(plain, 3, { crashes: 1, restarts: 1 }).found).toMatchObject({
      states: 3_214,
      exclusion: 'violated in 7',
      token: 'violated in 1',
    });
  });

  it('a reliable link cannot help: it needs a channel back', () => {
    expect(() => simulate({ protocol: plain, topology: ring(5), reliable: true })).toThrow(
      /needs channels both ways, and a→b has none back/,
    );
  });
});
