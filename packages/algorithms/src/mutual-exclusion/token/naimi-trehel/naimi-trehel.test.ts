import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, send } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign } from 'xstate';
import { costOf, harmonic, lineThrough } from '../../../contract/cost.contract.js';
import { failing } from '../../../contract/findings.contract.js';
import { mutantOf, takeAll, withoutSteps } from '../../../contract/machines.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import {
  countedTokenContract,
  reliableLinkContract,
  withFaults,
} from '../building-blocks/token-faults.contract.js';
import { type Event, machine } from './naimi-trehel.js';
import { naimiTrehel } from './protocol.js';

const plain = naimiTrehel();
const mutant = mutantOf(withoutSteps(plain));

mutualExclusionContract({
  protocol: plain,
  topologies: [2, 3, 4, 5].map((n) => complete(n)),
  small: [
    { topology: complete(2), budget: { commands: 2 } },
    { topology: complete(3), budget: { commands: 1 } },
  ],
  explored: [
    [complete(2), { commands: 3 }, 149],
    [complete(3), { commands: 2 }, 1_530],
    [complete(3), { commands: 2, order: 'fifo' }, 1_432],
    [complete(3), { commands: 3 }, 6_178],
    [complete(4), { commands: 1 }, 1_476],
    [complete(4), { commands: 2 }, 45_980],
    [complete(5), { commands: 1 }, 15_456],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: {
    'a forwarded request counts as one of the node that forwards it': mutant(
      "complete:3, 7 steps: Node a in 'released.away' does not handle 'token' (from b)",
      machine.provide({
        actions: {
          follow: assign(({ event }) => {
            assertEvent(event, 'request');
            return { next: event.from };
          }),
        },
      }),
    ),
  },
});

describe('naimi-trehel rules', () => {
  const first = (last: string): LocalState => start(machine, 'm', { self: 'm', last }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const acquire: Event = { type: 'acquire' };
  const release: Event = { type: 'release' };
  const request = (requester: string, from = requester): Event => ({
    type: 'request',
    requester,
    from,
  });
  const wanted = () => after(first('h'), acquire).state;
  const held = () => after(first('m'), acquire).state;

  it('[NT1] a node with the token enters at once; another one sends its request to LAST, and is the last requester itself', () => {
    const { state, effects } = after(first('h'), acquire);
    expect(effects).toEqual([send('h', { type: 'request', requester: 'm' })]);
    expect(state).toMatchObject({ value: 'wanted', context: { last: 'm', next: null } });
    expect(after(first('m'), acquire)).toMatchObject({
      effects: [],
      state: { value: 'held', context: { entries: 1 } },
    });
  });

  it('[NT2] a node that is not the last requester forwards a request, and points to the requester', () => {
    const { state, effects } = after(first('h'), request('x', 'y'));
    expect(effects).toEqual([send('h', { type: 'request', requester: 'x' })]);
    expect(state).toMatchObject({
      value: { released: 'away' },
      context: { last: 'x', next: null },
    });
    for (const state of [wanted(), held()]) {
      const { state: next, effects } = after(state, request('x'), request('z', 'y'));
      expect(effects).toEqual([send('x', { type: 'request', requester: 'z' })]);
      expect(next).toMatchObject({ value: state.value, context: { last: 'z', next: 'x' } });
    }
  });

  it('[NT3] the requester follows the last requester, and gets an idle token at once', () => {
    for (const state of [wanted(), held()]) {
      const { state: next, effects } = after(state, request('x', 'y'));
      expect(effects).toEqual([]);
      expect(next).toMatchObject({ value: state.value, context: { last: 'x', next: 'x' } });
    }
    const { state, effects } = after(first('m'), request('x', 'y'));
    expect(effects).toEqual([send('x', { type: 'token', entries: 0 })]);
    expect(state).toMatchObject({
      value: { released: 'away' },
      context: { last: 'x', next: null },
    });
  });

  it('[NT4] a node that gets the token enters, and counts the entry', () => {
    const { state, effects } = after(wanted(), { type: 'token', entries: 4, from: 'h' });
    expect(effects).toEqual([]);
    expect(state).toMatchObject({ value: 'held', context: { entries: 5 } });
  });

  it('[NT5] a node that leaves sends the token to NEXT; if there is none, it keeps it', () => {
    expect(after(held(), release).state.value).toEqual({ released: 'here' });
    const { state, effects } = after(held(), request('x'), request('z'), release);
    expect(effects).toEqual([send('x', { type: 'token', entries: 1 })]);
    expect(state).toMatchObject({
      value: { released: 'away' },
      context: { last: 'z', next: null, entries: 0 },
    });
  });

  it('holder: the token starts there, at any node, and the rest stays the same', () => {
    for (const holder of ['a', 'b', 'c']) {
      const found = explore(naimiTrehel({ holder }), complete(3), { commands: 2 });
      expect(found.states).toBe(1_530);
      expect(failing(found)).toEqual([]);
    }
    expect(() =>
      simulate({ protocol: naimiTrehel({ holder: 'z' }), topology: complete(3) }),
    ).toThrow(/the option holder names the node 'z'/);
  });
});

describe('naimi-trehel assumptions', () => {
  const safe = { exclusion: 'holds', enters: 'violated in 2', handled: 'holds' };

  it.each([
    [2, 32, 4],
    [3, 320, 7],
  ])('one lost message among %i nodes breaks liveness, not safety', (n, states, rest) => {
    const { found } = withFaults(plain, complete(n), { losses: 1 });
    expect(found).toEqual({ ...safe, states, token: 'violated in 3', rest: `violated in ${rest}` });
  });

  it('a request that arrives twice breaks safety: an old requester counts as the last one', () => {
    const duplicating = withFaults(plain, complete(3), { duplications: 1 });
    expect(duplicating.found).toMatchObject({
      states: 2_286,
      exclusion: 'violated in 15',
      token: 'violated in 3',
      handled: 'violated in 4',
      rest: 'violated in 13',
    });
    expect(readFileSync(new URL('./README.md', import.meta.url), 'utf8')).toContain(
      duplicating.text('exclusion'),
    );
  });

  it.each([
    [2, 84, 4],
    [3, 957, 6],
  ])(
    'a crash among %i nodes takes the token, or the path to it, away; it breaks liveness, not safety',
    (n, states, rest) => {
      const { found } = withFaults(plain, complete(n), { crashes: 1 });
      expect(found).toEqual({
        ...safe,
        states,
        token: 'violated in 1',
        rest: `violated in ${rest}`,
      });
    },
  );

  reliableLinkContract(plain, complete(4), 50);
});

countedTokenContract(plain, {
  topology: complete(3),
  budget: { commands: 2 },
  duplicated: 16,
  restarted: 6,
});

describe('naimi-trehel cost', () => {
  const perEntry = (n: number, workload: Parameters<typeof simulate>[0]['workload']) => {
    const result = simulate({
      protocol: plain,
      topology: complete(n),
      properties: [],
      ...(workload ? { workload } : {}),
    });
    return totalMessages(result) / result.exclusion.entries.length;
  };

  proof.each([
    [3, 2, 7],
    [4, 1, 0],
    [5, 1, 0],
  ])(
    'is at most n messages per entry among %i nodes, in every interleaving',
    (n, commands, steps) => {
      const properties = [
        atMost(n, { per: 'acquire' }),
        atMost(1, { per: 'acquire', of: ['token'] }),
        atMost(n - 1, { per: 'acquire' }),
      ];
      const found = explore(plain, complete(n), { commands, properties });
      expect(found.complete).toBe(true);
      expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
        'holds',
        'holds',
      ]);
      expect(found.properties[2]?.trace?.lines.length ?? 0).toBe(steps);
      expect(costOf(plain, n)).toEqual(properties[0]);
    },
  );

  proof(
    'at light load grows as log n for n = 8 … 1,024: about H(n−1), the mean for random requesters',
    () => {
      const points = [8, 32, 128, 1024].map((n) => {
        const entries = Math.max(3, Math.ceil(1024 / n));
        const cost = perEntry(
          n,
          poisson({ mean: 2_000 * n, entries, hold: { kind: 'fixed', ms: 1 } }),
        );
        return { n, x: Math.log(n), y: cost };
      });
      // With few entries per node the pointers are still as short as at first, when all led to the
      // holder.
      for (const { n, y } of points) {
        expect(y / harmonic(n - 1)).toBeGreaterThan(0.85);
        expect(y / harmonic(n - 1)).toBeLessThan(1);
      }
      const { slope, correlation } = lineThrough(points);
      expect(slope).toBeGreaterThan(0.8);
      expect(slope).toBeLessThan(1.05);
      expect(correlation).toBeGreaterThan(0.99);
    },
  );

  proof('at heavy load is between 3 and 4 messages per entry, for n = 8 … 256', () => {
    for (const n of [8, 16, 32, 64, 128, 256]) {
      const cost = perEntry(
        n,
        closedLoop({ entries: Math.ceil(1024 / n), think: { kind: 'fixed', ms: 0 } }),
      );
      expect(cost).toBeGreaterThan(3);
      expect(cost).toBeLessThan(4);
    }
  });
});

greedyContract({
  make: naimiTrehel,
  topology: complete,
  states: [
    [2, { commands: 2 }, 81],
    [3, { commands: 2 }, 1_900],
  ],
});
