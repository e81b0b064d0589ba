/**
 * Processes that take turns on shared variables: classic mutual-exclusion algorithms, and two
 * incorrect ones.
 */

import { describe, expect, it } from 'vitest';
import type { Json } from '../../protocol/node.js';
import { leadsTo, never, sometimes } from '../../protocol/property.js';
import { exploreSystem } from './plain.js';
import type { PlainOptions } from './plain-options.js';
import type { PlainSystem } from './plain-system.js';
import { counted, verdictsOf } from './published.contract.js';

/**
 * What one process may do at one line: its next line, and what it writes; undefined where it must
 * wait.
 */
type Line<V extends Json> = (
  shared: V,
  self: number,
) => readonly [line: number, shared: V] | undefined;

type Running<V extends Json> = {
  readonly lines: readonly number[];
  readonly shared: V;
};

/**
 * Line 0 is the remainder section: a process may stay there. At every other line, each process is
 * scheduled fairly.
 */
function processes<V extends Json>(count: number, shared: V, program: readonly Line<V>[]) {
  const step = ({ lines, shared }: Running<V>, self: number) =>
    program[lines[self] ?? 0]?.(shared, self);
  return {
    initial: { lines: Array.from({ length: count }, () => 0), shared } as Running<V>,
    actions: (state: Running<V>) =>
      state.lines.flatMap((line, self) =>
        step(state, self) === undefined ? [] : [`${self} ${line === 0 ? 'requests' : 'goes on'}`],
      ),
    next: (state: Running<V>, action: string): Running<V> => {
      const self = Number.parseInt(action, 10);
      const [line, shared] = step(state, self) ?? [0, state.shared];
      return { lines: state.lines.with(self, line), shared };
    },
    fair: (action: string) => (action.endsWith('requests') ? undefined : action),
  };
}

type Turns = {
  readonly flags: readonly boolean[];
  readonly turn: number;
};
const flag = ({ flags, turn }: Turns, self: number, value: boolean): Turns => ({
  flags: flags.with(self, value),
  turn,
});
const isFlagged = ({ flags }: Turns, self: number): boolean => flags[1 - self] ?? false;
const turns: Turns = { flags: [false, false], turn: 0 };

/** Peterson, Myths about the mutual exclusion problem, 1981. Line 4 is the critical section. */
const peterson = processes<Turns>(2, turns, [
  (shared) => [1, shared],
  (shared, self) => [2, flag(shared, self, true)],
  (shared, self) => [3, { ...shared, turn: 1 - self }],
  (shared, self) => (isFlagged(shared, self) && shared.turn !== self ? undefined : [4, shared]),
  (shared, self) => [0, flag(shared, self, false)],
]);

/**
 * The same without the turn: both processes may wait for each other. Line 3 is the critical
 * section.
 */
const polite = processes<Turns>(2, turns, [
  (shared) => [1, shared],
  (shared, self) => [2, flag(shared, self, true)],
  (shared, self) => (isFlagged(shared, self) ? undefined : [3, shared]),
  (shared, self) => [0, flag(shared, self, false)],
]);

/** Reads the other's flag before it sets its own: both may be in the critical section, line 3. */
const hasty = processes<Turns>(2, turns, [
  (shared) => [1, shared],
  (shared, self) => (isFlagged(shared, self) ? undefined : [2, shared]),
  (shared, self) => [3, flag(shared, self, true)],
  (shared, self) => [0, flag(shared, self, false)],
]);

/**
 * Dekker, by Dijkstra, Over de sequentialiteit van procesbeschrijvingen (EWD 35). Line 6 is the
 * critical section.
 */
const dekker = processes<Turns>(2, turns, [
  (shared) => [1, shared],
  (shared, self) => [2, flag(shared, self, true)],
  (shared, self) => [isFlagged(shared, self) ? 3 : 6, shared],
  (shared, self) => [shared.turn === self ? 2 : 4, shared],
  (shared, self) => [5, flag(shared, self, false)],
  (shared, self) => (shared.turn === self ? [1, shared] : undefined),
  (shared, self) => [7, { ...shared, turn: 1 - self }],
  (shared, self) => [0, flag(shared, self, false)],
]);

type Tickets = {
  readonly choosing: readonly boolean[];
  readonly numbers: readonly number[];
  readonly seen: readonly number[];
};

/**
 * Lamport's bakery, 1974, for two, with the choice of a number in two steps; no process requests
 * entry while a number is `most`. Line 6 is the critical section.
 */
const bakery = (most: number, choosesOpenly = true) =>
  processes<Tickets>(2, { choosing: [false, false], numbers: [0, 0], seen: [0, 0] }, [
    (shared) => (Math.max(...shared.numbers, ...shared.seen) < most ? [1, shared] : undefined),
    (shared, self) => [2, { ...shared, choosing: shared.choosing.with(self, choosesOpenly) }],
    (shared, self) => [3, { ...shared, seen: shared.seen.with(self, Math.max(...shared.numbers)) }],
    (shared, self) => [
      4,
      {
        choosing: shared.choosing.with(self, false),
        numbers: shared.numbers.with(self, (shared.seen[self] ?? 0) + 1),
        seen: shared.seen.with(self, 0),
      },
    ],
    (shared, self) => (shared.choosing[1 - self] ? undefined : [5, shared]),
    (shared, self) => {
      const [mine = 0, other = 0] = [shared.numbers[self], shared.numbers[1 - self]];
      return other === 0 || mine < other || (mine === other && self === 0)
        ? [6, shared]
        : undefined;
    },
    (shared, self) => [0, { ...shared, numbers: shared.numbers.with(self, 0) }],
  ]);

/**
 * Bartlett, Scantlebury & Wilkinson, 1969: a bit marks new values; channels hold one message and
 * may lose it. Values are counted modulo 4.
 */
type Link = {
  readonly sending: number;
  readonly bit: number;
  readonly data: readonly number[];
  readonly expected: number;
  readonly received: number;
  readonly reply: readonly number[];
};
const alternatingBit = (looksAtBit = true) => ({
  initial: { sending: 0, bit: 0, data: [], expected: 0, received: 3, reply: [] } as Link,
  actions: ({ data, reply }: Link) => [
    ...(data.length === 0 ? ['send'] : ['deliver data', 'lose data']),
    ...(reply.length === 0 ? [] : ['deliver reply', 'lose reply']),
  ],
  next: (link: Link, action: string): Link => {
    const { sending, bit, data, expected, reply } = link;
    if (action === 'send') return { ...link, data: [sending, bit] };
    if (action === 'lose data') return { ...link, data: [] };
    if (action === 'lose reply') return { ...link, reply: [] };
    if (action === 'deliver reply')
      return reply[0] === bit
        ? { ...link, reply: [], bit: 1 - bit, sending: (sending + 1) % 4 }
        : { ...link, reply: [] };
    const [value = 0, sent = 0] = data;
    const isNew = sent === expected || !looksAtBit;
    return isNew
      ? { ...link, data: [], reply: [sent], received: value, expected: 1 - expected }
      : { ...link, data: [], reply: [sent] };
  },
  fair: (action: string) => (action.startsWith('lose') ? undefined : action),
});

// Textbook results about mutual exclusion by shared variables, and about a lossy link.

type At = { readonly lines: readonly number[] };
const exclusive = (critical: number) =>
  never<At>('both are in the critical section', ({ lines }) =>
    lines.every((line) => line === critical),
  );
const entered = (critical: number) =>
  sometimes<At>('a process is in the critical section', ({ lines }) => lines.includes(critical));
const served = (critical: number) =>
  leadsTo<At>(
    'the first enters when it requests entry',
    ({ lines: [line = 0] }) => line > 0 && line < critical,
    ({ lines: [line] }) => line === critical,
  );
const all = (critical: number) => [exclusive(critical), entered(critical), served(critical)];

/** The verdicts; checks that the counts equal those of the naive search. */
function judged<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  properties: PlainOptions<NoInfer<S>>['properties'],
  fairness?: 'none' | 'strong',
) {
  const found = exploreSystem(system, { properties, ...(fairness ? { fairness } : {}) });
  expect(found).toMatchObject({ ...counted(system), complete: true });
  return {
    states: found.states,
    verdicts: verdictsOf(found),
    paths: found.properties.map(({ path }) => path?.length),
  };
}

describe('mutual exclusion', () => {
  it('by Peterson excludes, and serves each process that requests entry, with weak fairness only', () => {
    expect(judged(peterson, all(4)).verdicts).toEqual(['holds', 'reached', 'holds', 'holds']);
    expect(judged(peterson, all(4), 'none').verdicts).toEqual([
      'holds',
      'reached',
      'violated',
      'holds',
    ]);
  });

  it('by flags alone excludes, and can deadlock', () => {
    const found = judged({ ...polite, done: () => false }, all(3));
    expect(found.verdicts).toEqual(['holds', 'reached', 'violated', 'holds', 'violated']);
    expect(found.paths.at(-1)).toBe(4);
  });

  it('by reading the other flag before setting its own does not exclude', () => {
    const found = judged(hasty, all(3));
    expect([found.verdicts[0], found.paths[0]]).toEqual(['violated', 6]);
  });

  it('by Dekker excludes, and serves each process that requests entry', () => {
    expect(judged(dekker, all(6)).verdicts).toEqual(['holds', 'reached', 'holds', 'holds']);
    expect(judged(dekker, all(6), 'none').verdicts).toEqual([
      'holds',
      'reached',
      'violated',
      'holds',
    ]);
  });

  it('by the bakery excludes and serves, because a flag says that a number is being chosen', () => {
    expect(judged(bakery(4), all(6)).verdicts).toEqual(['holds', 'reached', 'holds', 'holds']);
    expect(judged(bakery(4, false), all(6)).verdicts.slice(0, 2)).toEqual(['violated', 'reached']);
  });

  it.each([
    ['Peterson', peterson, 34],
    ['flags alone', polite, 15],
    ['looking first', hasty, 16],
    ['Dekker', dekker, 100],
  ])('by %s has the pinned number of states', (_name, system, states) => {
    expect(exploreSystem<Running<Turns>, string>(system, { properties: [] }).states).toBe(states);
  });
});

describe('the alternating bit', () => {
  const inOrder = never<Link>(
    'a value is received twice, or skipped',
    ({ received, expected, sending, bit }) => {
      const due = expected === bit ? (sending + 3) % 4 : sending;
      return received !== due;
    },
  );
  const goesOn = leadsTo<Link>(
    'the second value follows the first',
    ({ received }) => received === 0,
    ({ received }) => received === 1,
  );

  it('delivers every value once and in order, if a message that is sent again and again eventually arrives', () => {
    expect(judged(alternatingBit(), [inOrder, goesOn], 'strong').verdicts).toEqual([
      'holds',
      'holds',
      'holds',
    ]);
    expect(judged(alternatingBit(), [inOrder, goesOn]).verdicts).toEqual([
      'holds',
      'violated',
      'holds',
    ]);
  });

  it('delivers a value twice if it ignores the bit', () => {
    expect(judged(alternatingBit(false), [inOrder]).verdicts[0]).toBe('violated');
  });
});
