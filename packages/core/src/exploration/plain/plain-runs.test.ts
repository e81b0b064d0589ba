/** Where the runs of a plain system begin, end and stop. */
import { describe, expect, it } from 'vitest';
import { always, eventually, leadsTo, never, sometimes } from '../../protocol/property.js';
import { verdictsOf } from './plain.contract.js';
import { exploreSystem } from './plain.js';

/** Two threads that take two locks; by default, in opposite orders. */
const locks = (orders: readonly (readonly [number, number])[]) => ({
  initial: { owners: [-1, -1], at: orders.map(() => 0) } as {
    readonly owners: readonly number[];
    readonly at: readonly number[];
  },
  actions: ({
    owners,
    at,
  }: {
    readonly owners: readonly number[];
    readonly at: readonly number[];
  }) =>
    at.flatMap((step, thread) => {
      const wanted = orders[thread]?.[step];
      return step === 2 || (wanted !== undefined && owners[wanted] === -1) ? [thread] : [];
    }),
  next: (
    { owners, at }: { readonly owners: readonly number[]; readonly at: readonly number[] },
    thread: number,
  ) => {
    const step = at[thread] ?? 0;
    const wanted = orders[thread]?.[step];
    if (wanted === undefined)
      return {
        owners: owners.map((owner) => (owner === thread ? -1 : owner)),
        at: at.with(thread, 3),
      };
    return { owners: owners.with(wanted, thread), at: at.with(thread, step + 1) };
  },
});
const isOver = ({ at }: { readonly at: readonly number[] }) => at.every((step) => step === 3);

describe('the end of a run', () => {
  it('is a deadlock where the system does not say that it may end', () => {
    const found = exploreSystem(
      {
        ...locks([
          [0, 1],
          [1, 0],
        ]),
        done: isOver,
      },
      { properties: [] },
    );
    expect(found.properties.at(-1)).toMatchObject({
      name: 'no run ends before it is done',
      kind: 'always',
      verdict: 'violated',
      path: [{ action: 0 }, { action: 1, state: { owners: [0, 1], at: [1, 1] } }],
    });
    expect(found.ends).toBe(2);
  });

  it('is not a deadlock where locks are taken in one order', () => {
    const found = exploreSystem(
      {
        ...locks([
          [0, 1],
          [0, 1],
        ]),
        done: isOver,
      },
      { properties: [] },
    );
    expect(found).toMatchObject({ ends: 1, complete: true });
    expect(verdictsOf(found)).toEqual(['holds', 'holds']);
  });

  it('is checked in no other state, and in none without done; the number of ends is reported', () => {
    const half = {
      initial: 0,
      actions: (n: number) => (n < 2 ? ['up'] : []),
      next: (n: number) => n + 1,
    };
    expect(
      verdictsOf(exploreSystem({ ...half, done: (n) => n === 2 }, { properties: [] })),
    ).toEqual(['holds', 'holds']);
    expect(verdictsOf(exploreSystem({ ...half, done: () => false }, { properties: [] }))).toEqual([
      'holds',
      'violated',
    ]);
    const without = exploreSystem(half, { properties: [] });
    expect(without.properties.map(({ name }) => name)).toEqual(['every action leads to a state']);
    expect(without.ends).toBe(1);
  });

  it('stays open at a limit, and a state in which every action fails is not an end', () => {
    const endless = {
      initial: 0,
      actions: () => ['up'],
      next: (n: number) => n + 1,
      done: () => false,
    };
    expect(verdictsOf(exploreSystem(endless, { properties: [], limits: { states: 10 } }))).toEqual([
      'incomplete',
      'incomplete',
    ]);
    const failing = {
      ...endless,
      next: (): number => {
        throw new Error('no');
      },
    };
    const found = exploreSystem(failing, { properties: [] });
    expect(found.ends).toBe(0);
    expect(verdictsOf(found)).toEqual(['violated', 'incomplete']);
  });

  it('must be true or false', () => {
    const system = {
      initial: 0,
      actions: () => [],
      next: (n: number) => n,
      done: (() => 'yes') as unknown as () => boolean,
    }; // as plain JavaScript may
    expect(() => exploreSystem(system, { properties: [] })).toThrow(
      'Property \'no run ends before it is done\' answers "yes", which is neither true nor false, in the state 0',
    );
  });
});

describe('several initial states', () => {
  const collatz = {
    actions: (n: number) => (n === 1 ? [] : [n % 2 === 0 ? 'halve' : 'triple']),
    next: (n: number) => (n % 2 === 0 ? n / 2 : 3 * n + 1),
    fair: () => 'step',
  };
  const one = eventually<number>('one', (n) => n === 1);

  it('are all explored; depth is the distance from the nearest', () => {
    // 12 6 3 10 5 16 8 4 2 1, and 20 10 …: 20 is the only other.
    expect(exploreSystem({ ...collatz, initials: [12, 20] }, { properties: [one] })).toMatchObject({
      states: 11,
      transitions: 10,
      depth: 7,
      complete: true,
      properties: [{ verdict: 'holds' }, { verdict: 'holds' }],
    });
    expect(exploreSystem({ ...collatz, initial: 12 }, { properties: [] })).toMatchObject({
      states: 10,
      transitions: 9,
      depth: 9,
    });
    expect(
      exploreSystem({ ...collatz, initials: [12, 20] }, { properties: [], order: 'depth' }),
    ).toMatchObject({
      states: 11,
      transitions: 10,
    });
  });

  it('count once if they are given twice; a list of one equals a single one', () => {
    const { seconds, ...once } = exploreSystem({ ...collatz, initial: 12 }, { properties: [one] });
    for (const initials of [[12], [12, 12]])
      expect(exploreSystem({ ...collatz, initials }, { properties: [one] })).toMatchObject({
        ...once,
        seconds: expect.any(Number),
      });
  });

  it('a path begins in the nearest one', () => {
    const found = exploreSystem(
      { ...collatz, initials: [12, 20] },
      { properties: [never<number>('ten', (n) => n === 10)] },
    );
    expect(found.properties[0]).toMatchObject({
      initial: 20,
      path: [{ action: 'halve', state: 10 }],
    });
    const first = exploreSystem(
      { ...collatz, initials: [12, 20] },
      { properties: [always<number>('not 20', (n) => n !== 20)] },
    );
    expect(first.properties[0]).toMatchObject({ initial: 20, path: [] });
  });

  it('an eventually property is checked from each of them', () => {
    const stuck = {
      ...collatz,
      actions: (n: number) => (n === 1 || n === 7 ? [] : ['halve']),
      next: (n: number) => (n === 14 ? 7 : n >> 1),
    };
    const found = exploreSystem(
      { ...stuck, initials: [8, 4, 14] },
      {
        properties: [
          one,
          leadsTo<number>(
            'from 14',
            (n) => n === 14,
            (n) => n === 1,
          ),
        ],
      },
    );
    for (const finding of found.properties.slice(0, 2))
      expect(finding).toMatchObject({
        verdict: 'violated',
        initial: 14,
        path: [{ state: 7 }],
        loopsFrom: 1,
      });
  });

  it('a loop is entered by a shortest path from the nearest', () => {
    const system = {
      initials: [0, 10],
      actions: () => ['on'],
      next: (n: number) => (n === 3 || n === 10 ? 3 : n + 1),
      fair: () => 'step',
    };
    const found = exploreSystem(system, {
      properties: [
        leadsTo<number>(
          'three ends',
          (n) => n === 3,
          (n) => n > 3,
        ),
      ],
    });
    expect(found.properties[0]).toMatchObject({
      initial: 10,
      path: [{ state: 3 }, { state: 3 }],
      loopsFrom: 1,
    });
  });

  it('a run may begin in one that follows another', () => {
    const successors: Readonly<Record<number, readonly number[]>> = { 0: [1, 2], 2: [9] };
    const system = {
      initials: [0, 9],
      actions: (n: number) => successors[n] ?? [],
      next: (_: number, to: number) => to,
      fair: () => 'step',
    };
    const stuck = leadsTo<number>(
      'an end ends',
      (n) => n === 1 || n === 9,
      () => false,
    );
    const found = exploreSystem(system, { properties: [stuck] });
    expect(found).toMatchObject({ states: 4, transitions: 3, depth: 1 });
    expect(found.properties[0]).toMatchObject({
      verdict: 'violated',
      initial: 9,
      path: [],
      loopsFrom: 0,
    });
  });
});

describe('fairness', () => {
  const two = {
    initial: 0,
    actions: (n: number) => (n === 0 ? ['go', 'stay'] : []),
    next: (n: number, action: string) => (action === 'go' ? 1 : n),
  };
  const gone = eventually<number>('gone', (n) => n === 1);

  it('applies to no action without fair: a run may stop at once, and the report names what it could have done', () => {
    for (const fairness of ['none', 'weak', 'strong'] as const) {
      const [finding] = exploreSystem(two, { properties: [gone], fairness }).properties;
      expect(finding).toMatchObject({
        verdict: 'violated',
        initial: 0,
        path: [],
        loopsFrom: 0,
        unfair: ['go', 'stay'],
      });
    }
  });

  it('of no kind forces an action that fair leaves out', () => {
    const system = { ...two, fair: (action: string) => (action === 'stay' ? 'stay' : undefined) };
    for (const fairness of ['none', 'weak', 'strong'] as const) {
      const [finding] = exploreSystem(system, { properties: [gone], fairness }).properties;
      expect(finding).toMatchObject({
        verdict: 'violated',
        path: [{ action: 'stay', state: 0 }],
        loopsFrom: 0,
      });
      expect(finding).not.toHaveProperty('unfair');
    }
  });

  it('with one class for all actions ensures that some action happens; fairness none does not', () => {
    const line = { ...two, actions: (n: number) => (n === 0 ? ['go'] : []), fair: () => 'step' };
    for (const fairness of ['none', 'weak', 'strong'] as const)
      expect(verdictsOf(exploreSystem(line, { properties: [gone], fairness }))).toEqual([
        'holds',
        'holds',
      ]);
    expect(
      verdictsOf(
        exploreSystem({ ...two, fair: () => 'step' }, { properties: [gone], fairness: 'none' }),
      )[0],
    ).toBe('violated');
  });

  it.each([null, false, '', 0])('is a string: %o is an error and not a class', (nothing) => {
    const fair = (() => nothing) as unknown as () => string; // as plain JavaScript may
    expect(() => exploreSystem({ ...two, fair }, { properties: [gone] })).toThrow(
      `fair gives ${JSON.stringify(nothing)} for the action "go". Name a class of actions by a text that is not empty, or return undefined`,
    );
  });

  it('a sometimes property is not about runs', () => {
    const [reached] = exploreSystem(two, {
      properties: [sometimes<number>('gone', (n) => n === 1)],
    }).properties;
    expect(reached).toEqual({
      name: 'gone',
      kind: 'sometimes',
      verdict: 'reached',
      initial: 0,
      path: [{ action: 'go', state: 1 }],
    });
  });
});
