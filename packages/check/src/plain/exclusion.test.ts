/**
 * Processes that take turns on shared variables: Peterson's mutual exclusion, and two incorrect
 * ones.
 */

import type { Json } from '@conclave/core/protocol';
import { leadsTo, never, sometimes } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
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

// Textbook results about mutual exclusion by shared variables.

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

  it.each([
    ['Peterson', peterson, 34],
    ['flags alone', polite, 15],
    ['looking first', hasty, 16],
  ])('by %s has the pinned number of states', (_name, system, states) => {
    expect(exploreSystem<Running<Turns>, string>(system, { properties: [] }).states).toBe(states);
  });
});
