/** One state represents all its images: the verdicts of the full search, without assumptions. */
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { always, eventually, never, sometimes } from '../../protocol/property.js';
import { verdictsOf } from './plain.contract.js';
import { exploreSystem } from './plain.js';
import type { PlainExploration } from './plain-exploration.js';

interface Threads {
  readonly [field: string]: number | readonly (readonly [local: number, at: number])[];
  readonly shared: number;
  readonly threads: readonly (readonly [local: number, at: number])[];
}

const swapped =
  (one: number, other: number) =>
  (state: Threads): Threads => ({
    ...state,
    threads: state.threads
      .with(one, state.threads[other] ?? [0, 0])
      .with(other, state.threads[one] ?? [0, 0]),
  });
/** Threads that each read a number and write back its successor. */
const increment = (count: number) => ({
  initial: { shared: 0, threads: Array.from({ length: count }, () => [0, 1] as const) } as Threads,
  actions: ({ threads }: Threads) =>
    threads.flatMap(([, at], index) =>
      at < 3 ? [[at === 1 ? 'read' : 'write', index] as const] : [],
    ),
  next: ({ shared, threads }: Threads, [what, index]: readonly [string, number]): Threads => {
    const [local] = threads[index] ?? [0];
    return what === 'read'
      ? { shared, threads: threads.with(index, [shared, 2]) }
      : { shared: local + 1, threads: threads.with(index, [local, 3]) };
  },
  symmetries: Array.from({ length: count - 1 }, (_, index) => swapped(index, index + 1)),
});
const settled = always<Threads>(
  'what is written counts',
  ({ shared, threads }) => threads.filter(([, at]) => at === 3).length === shared,
);

/** Whether the path of each finding is a run of the system that ends in a deciding state. */
function requireReal(
  count: number,
  found: PlainExploration<Threads, readonly [string, number]>,
): void {
  const system = increment(count);
  for (const { initial, path } of found.properties) {
    if (!path) continue;
    let at = initial as Threads; // a path has one
    expect(at).toEqual(system.initial);
    for (const { action, state } of path) {
      expect(system.actions(at)).toContainEqual(action);
      at = system.next(at, action);
      expect(state).toEqual(at);
    }
  }
}

describe('symmetry', () => {
  it('leaves 8 of the 13 states of two threads that increment a number', () => {
    expect(exploreSystem(increment(2), { properties: [settled] })).toMatchObject({ states: 13 });
    const found = exploreSystem(increment(2), { properties: [settled], reduce: 'symmetry' });
    expect(found).toMatchObject({ states: 8, complete: true });
    expect(verdictsOf(found)).toEqual(['violated', 'holds']);
    requireReal(2, found);
  });

  it.each([3, 4])('leaves as many states of %i threads as there are orbits', (count) => {
    const orbits = new Set<string>();
    const seen = new Set<string>();
    const system = increment(count);
    const open = [system.initial];
    for (const state of open) {
      const text = JSON.stringify(state);
      if (seen.has(text)) continue;
      seen.add(text);
      orbits.add(JSON.stringify({ ...state, threads: state.threads.map(String).sort() }));
      open.push(...system.actions(state).map((action) => system.next(state, action)));
    }
    expect(exploreSystem(system, { properties: [] }).states).toBe(seen.size);
    expect(exploreSystem(system, { properties: [], reduce: 'symmetry' }).states).toBe(orbits.size);
  });

  it('decides a property that is not symmetric as the full search does, with a run of the system', () => {
    const properties = [
      never<Threads>(
        'the last writes before the first has read',
        ({ threads }) => threads[0]?.[1] === 1 && threads[2]?.[1] === 3,
      ),
      sometimes<Threads>('the second has read 2', ({ threads }) => threads[1]?.[0] === 2),
      sometimes<Threads>('the first has read 3', ({ threads }) => threads[0]?.[0] === 3),
      always<Threads>(
        'the first is not ahead of the second',
        ({ threads }) => (threads[0]?.[1] ?? 0) <= (threads[1]?.[1] ?? 0),
      ),
    ];
    const full = exploreSystem(increment(3), { properties });
    const reduced = exploreSystem(increment(3), { properties, reduce: 'symmetry' });
    expect(verdictsOf(full)).toEqual(['violated', 'reached', 'unreached', 'violated', 'holds']);
    expect(verdictsOf(reduced)).toEqual(verdictsOf(full));
    expect(reduced.properties.map(({ path }) => path?.length)).toEqual(
      full.properties.map(({ path }) => path?.length),
    );
    requireReal(3, reduced);
    for (const [index, { holds }] of properties.entries()) {
      const end = reduced.properties[index]?.path?.at(-1)?.state;
      if (end) expect(holds(end)).toBe(index !== 3);
    }
  });

  it('checks done on every image', () => {
    const system = { ...increment(2), done: ({ threads }: Threads) => threads[0]?.[0] !== 1 };
    const [full, reduced] = (['none', 'symmetry'] as const).map((reduce) =>
      exploreSystem(system, { properties: [], reduce }),
    );
    expect([full && verdictsOf(full), reduced && verdictsOf(reduced)]).toEqual([
      ['holds', 'violated'],
      ['holds', 'violated'],
    ]);
    expect(reduced?.properties[1]?.path?.at(-1)?.state.threads[0]).toEqual([1, 3]);
  });

  it('reports what next throws, at the end of a run', () => {
    const { next, ...rest } = increment(2);
    const failing = {
      ...rest,
      next: (state: Threads, action: readonly [string, number]) => {
        if (state.shared === 1) throw new Error('full');
        return next(state, action);
      },
    };
    const found = exploreSystem(failing, { properties: [settled], reduce: 'symmetry' });
    expect(found.properties[1]).toMatchObject({ verdict: 'violated', fault: 'Error: full' });
    expect(found.properties[1]?.path?.at(-1)?.state.shared).toBe(1);
  });

  it('does not decide properties of runs', () => {
    const ends = eventually<Threads>('it ends', ({ threads }) =>
      threads.every(([, at]) => at === 3),
    );
    expect(
      verdictsOf(exploreSystem(increment(2), { properties: [ends], reduce: 'symmetry' })),
    ).toEqual(['incomplete', 'holds']);
  });
});

describe('an invalid symmetry is refused', () => {
  it('where a step treats renamed threads differently', () => {
    const { next, ...rest } = increment(3);
    const favourite = (state: Threads, action: readonly [string, number]) =>
      action[0] === 'write' && action[1] === 2 && state.shared === 1
        ? { ...next(state, action), shared: 9 }
        : next(state, action);
    expect(() =>
      exploreSystem({ ...rest, next: favourite }, { properties: [], reduce: 'symmetry' }),
    ).toThrow(
      /^The system's symmetries\[1\] is not a symmetry: the successors of the image are not the images of the successors; the state is /,
    );
    // accepted without symmetries
    expect(exploreSystem({ ...rest, next: favourite }, { properties: [] }).complete).toBe(true);
  });

  it('where only one of the renamed threads may act, or fails', () => {
    const { actions, next, ...rest } = increment(2);
    const lazy = {
      ...rest,
      next,
      actions: (state: Threads) =>
        actions(state).filter(([what, index]) => what === 'read' || index === 0),
    };
    expect(() => exploreSystem(lazy, { properties: [], reduce: 'symmetry' })).toThrow(
      'is not a symmetry',
    );
    const failing = {
      ...rest,
      actions,
      next: (state: Threads, action: readonly [string, number]) => {
        if (action[0] === 'write' && action[1] === 1) throw new Error('broken');
        return next(state, action);
      },
    };
    expect(() => exploreSystem(failing, { properties: [], reduce: 'symmetry' })).toThrow(
      'is not a symmetry',
    );
  });

  it('where an initial state is renamed to another that is not initial; all of them may be listed', () => {
    const token = {
      actions: () => ['pass'],
      next: (at: number) => (at + 1) % 3,
      symmetries: [(at: number) => (at + 1) % 3],
    };
    expect(() =>
      exploreSystem({ ...token, initial: 0 }, { properties: [], reduce: 'symmetry' }),
    ).toThrow(
      "The system's symmetries[0] maps an initial state to one that is not initial; the state is 0. A run must be able to begin in each image",
    );
    const found = exploreSystem(
      { ...token, initials: [0, 1, 2] },
      { properties: [never<number>('two', (at) => at === 2)], reduce: 'symmetry' },
    );
    expect(found).toMatchObject({ states: 1, transitions: 1, depth: 0 });
    expect(found.properties[0]).toMatchObject({ verdict: 'violated', initial: 2, path: [] });
  });

  it('where it is not a permutation', () => {
    const pair = {
      initial: [0, 0] as readonly number[],
      actions: () => [0, 1],
      next: (state: readonly number[], index: number) =>
        state.with(index, Math.min(2, (state[index] ?? 0) + 1)),
    };
    const lossy = {
      ...pair,
      symmetries: [([a = 0, b = 0]: readonly number[]) => [Math.min(a, b), Math.min(a, b)]],
    };
    expect(() => exploreSystem(lossy, { properties: [], reduce: 'symmetry' })).toThrow(
      /^The system's symmetries/,
    );
  });

  it('where it maps two initial states to one', () => {
    const rest = {
      initials: [0, 1],
      actions: () => [],
      next: (n: number) => n,
      symmetries: [() => 0],
    };
    expect(() => exploreSystem(rest, { properties: [], reduce: 'symmetry' })).toThrow(
      "The system's symmetries[0] maps two states to one; the state is 1. Give a renaming: it maps distinct states to distinct ones.",
    );
  });

  proof('where one state has too many images', () => {
    const most = 100_001;
    const wheel = {
      initial: -1,
      actions: (n: number) => (n < 0 ? Array.from({ length: most }, (_, index) => index) : []),
      next: (_: number, to: number) => to,
      symmetries: [(n: number) => (n < 0 ? n : (n + 1) % most)],
    };
    expect(() => exploreSystem(wheel, { properties: [], reduce: 'symmetry' })).toThrow(
      'symmetries map one state to more than 100000; the state is 0',
    );
  });
});

/**
 * Two or three copies of a random little automaton over a shared number: symmetric by construction.
 */
const copies = fc.record({
  count: fc.constantFrom(2, 3),
  rules: fc.array(
    fc.record({ from: fc.nat(2), to: fc.nat(2), when: fc.nat(2), makes: fc.nat(2) }),
    { minLength: 1, maxLength: 6 },
  ),
});
type Copies = readonly number[];

it('has the verdicts of the full search, for random systems and properties that name single copies', () => {
  let violated = 0;
  let held = 0;
  assertRuns(
    fc.property(
      copies,
      fc.nat(2),
      fc.nat(2),
      fc.nat(2),
      ({ count, rules }, first, last, shared) => {
        const system = {
          initial: [0, ...Array.from({ length: count }, () => 0)] as Copies,
          actions: (state: Copies) =>
            rules.flatMap(({ from, when }, rule) =>
              state.flatMap((at, index) =>
                index > 0 && at === from && state[0] === when ? [[rule, index] as const] : [],
              ),
            ),
          next: (state: Copies, [rule, index]: readonly [number, number]) =>
            state.with(index, rules[rule]?.to ?? 0).with(0, rules[rule]?.makes ?? 0),
          symmetries: Array.from(
            { length: count - 1 },
            (_, at) => (state: Copies) =>
              state.with(at + 1, state[at + 2] ?? 0).with(at + 2, state[at + 1] ?? 0),
          ),
          done: (state: Copies) => state[1] !== last,
        };
        const properties = [
          never<Copies>(
            'so',
            (state) => state[0] === shared && state[1] === first && state[count] === last,
          ),
          sometimes<Copies>('there', (state) => state[count] === first),
          always<Copies>('ordered', (state) => (state[1] ?? 0) <= (state[2] ?? 0)),
        ];
        const full = exploreSystem(system, { properties });
        const reduced = exploreSystem(system, { properties, reduce: 'symmetry' });
        expect(verdictsOf(reduced)).toEqual(verdictsOf(full));
        expect(reduced.states).toBeLessThanOrEqual(full.states);
        for (const { verdict, initial, path } of reduced.properties) {
          if (verdict === 'violated') violated++;
          else held++;
          let at = initial;
          for (const { action, state } of path ?? [])
            at = expectStep(system, at as Copies, action, state);
        }
      },
    ),
    15,
    120,
    3,
  );
  if (!isWhole) return;
  expect(violated).toBeGreaterThan(60);
  expect(held).toBeGreaterThan(60);
});

function expectStep<A>(
  system: { actions(state: Copies): readonly A[]; next(state: Copies, action: A): Copies },
  at: Copies,
  action: A,
  state: Copies,
): Copies {
  expect(system.actions(at)).toContainEqual(action);
  expect(system.next(at, action)).toEqual(state);
  return state;
}
