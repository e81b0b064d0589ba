/** Where the runs of a plain system begin, end and stop. */

import {
  almostSurely,
  always,
  eventually,
  leadsTo,
  never,
  sometimes,
} from '@conclave/core/protocol';
import { leftToTest, times } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { Dice, drawsOf } from '../../../core/src/protocol/dice.contract.js';
import type { Figure } from '../expected/figures.js';
import { exploreSystem } from './plain.js';
import { expectedOfSystem, type PlainExpectedOptions } from './plain-expectation.js';
import type { PlainSystem } from './plain-system.js';
import { verdictsOf } from './published.contract.js';

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
    ).toMatchObject({ states: 11, transitions: 10 });
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

const textOf = (figure: Figure<unknown> | undefined) =>
  figure?.kind === 'exact' ? figure.fraction : figure?.kind;
const both = (figures: { least: Figure<unknown>; greatest: Figure<unknown> } | undefined) => [
  textOf(figures?.least),
  textOf(figures?.greatest),
];

/** A walk from 0 to `end`: a step up, or down to 0, by weights. */
const climb = (end: number, up: number, down: number): PlainSystem<number, string> => ({
  initial: 0,
  actions: (at) => (at < end ? ['up', 'down'] : []),
  weights: () => [up, down],
  next: (at, action) => (action === 'up' ? at + 1 : 0),
});

/** A gambler with `stake` of `total`; each may also leave the game and come back. */
const gambler = (stake: number, total: number): PlainSystem<number, string> => ({
  initial: stake,
  actions: (has) => (has > 0 && has < total ? ['win', 'lose'] : []),
  weights: () => [1, 1],
  next: (has, action) => (action === 'win' ? has + 1 : has - 1),
});

describe('published values', () => {
  it.each([
    // 2^(n + 1) − 2 tosses for n times heads in a row
    ['three times heads', climb(3, 1, 1), '14'],
    ['ten times heads', climb(10, 1, 1), '2046'],
    // stake · (total − stake) rounds
    ['ruin of 3 of 10', gambler(3, 10), '21'],
    ['ruin of 50 of 100', gambler(50, 100), '2500'],
  ])('%s', (_, system, steps) => {
    expect(both(expectedOfSystem(system).expectation)).toEqual([steps, steps]);
  });

  it('the gambler wins with the probability of his share', () => {
    const until = (has: number) => has === 10;
    const { probability, expectation } = expectedOfSystem(gambler(3, 10), { until });
    expect(both(probability)).toEqual(['3/10', '3/10']);
    expect(both(expectation)).toEqual(['infinite', 'infinite']);
  });

  it('the end of the ruined gambler is the run that never gets there', () => {
    const { expectation } = expectedOfSystem(gambler(1, 3), { until: (has) => has === 3 });
    const { least } = expectation ?? {};
    expect(least?.kind === 'infinite' && least.run).toEqual({ actions: ['lose'], loopsFrom: 1 });
  });
});

describe('a scheduler', () => {
  const either: PlainSystem<string, string> = {
    initials: ['one', 'two'],
    actions: (at) => ({ one: ['risk', 'safe'], two: ['safe'], risk: ['a', 'b'] })[at] ?? [],
    weights: (at) => (at === 'risk' ? [1, 3] : undefined),
    next: (at, action) => (at === 'risk' ? (action === 'a' ? 'end' : 'one') : action),
  };
  const cost = ({ action }: { readonly action: string }) => (action === 'safe' ? 5 : 0);

  it('chooses the start as well, and goes around for nothing', () => {
    const { expectation, probability, draws } = expectedOfSystem(either, { cost });
    expect(both(probability)).toEqual(['1', '1']);
    expect(both(expectation)).toEqual(['0', '5']);
    expect(draws).toBe(1);
  });
});

describe('almostSurely', () => {
  const verdicts = (system: PlainSystem<number, string>) =>
    exploreSystem(system, {
      properties: [
        almostSurely('gets there almost surely', (at) => at === 3),
        eventually('gets there', (at) => at === 3),
      ],
    })
      .properties.slice(0, 2)
      .map(({ verdict }) => verdict);
  const fair = () => 'step';

  it('holds where only draws stand in the way', () => {
    expect(verdicts({ ...climb(3, 1, 1000), fair })).toEqual(['holds', 'violated']);
    expect(verdicts({ ...climb(3, 1, 1), fair, weights: () => undefined })).toEqual([
      'violated',
      'violated',
    ]);
  });

  it('is violated where a draw may lead to where no draw leads out', () => {
    const pit = {
      ...climb(3, 9, 1),
      next: (at: number, action: string) => at + (action === 'up' ? 1 : -4),
    };
    const bounded = {
      ...pit,
      fair,
      actions: (at: number) => (at < 0 ? ['stay'] : at < 3 ? ['up', 'down'] : []),
      weights: (at: number) => (at < 0 ? undefined : [9, 1]),
    };
    const stays = {
      ...bounded,
      next: (at: number, action: string) => (action === 'stay' ? at : pit.next(at, action)),
    };
    expect(verdicts(stays)).toEqual(['violated', 'violated']);
  });
});

it('agrees with the least probability on random systems, without fairness', () => {
  leftToTest(); // few runs have few systems that are sure
  const verdicts = new Map<string, number>();
  for (let seed = 1; seed <= times(10, 500); seed++) {
    const dice = new Dice(drawsOf(seed));
    const size = 2 + dice.upTo(5);
    const targets = dice.list(size, () => dice.list(dice.upTo(3), () => dice.upTo(size - 1)));
    const isDrawn = dice.list(size, () => dice.upTo(1) === 1);
    const isGoal = dice.list(size, () => dice.seldom(3));
    const system: PlainSystem<number, number> = {
      initial: 0,
      actions: (at) => (targets[at] ?? []).map((_, index) => index),
      weights: (at) => (isDrawn[at] ? (targets[at] ?? []).map((_, index) => index + 1) : undefined),
      next: (at, action) => targets[at]?.[action] ?? at,
      fair: () => 'step',
    };
    const until = (at: number) => isGoal[at] === true;
    const { properties } = exploreSystem(system, {
      properties: [almostSurely('there', until, { vacuous: 'a random system' })],
      fairness: 'none',
    });
    const { probability } = expectedOfSystem(system, { until });
    const isSure = textOf(probability?.least) === '1';
    expect([seed, properties[0]?.verdict]).toEqual([seed, isSure ? 'holds' : 'violated']);
    verdicts.set(String(isSure), (verdicts.get(String(isSure)) ?? 0) + 1);
  }
  expect(Math.min(...verdicts.values())).toBeGreaterThan(times(2, 100));
  expect(verdicts.size).toBe(2);
});

describe('what it refuses', () => {
  const coin = climb(1, 1, 1);
  it.each<[string, unknown, PlainExpectedOptions<number, string>, string]>([
    ['too few weights', { ...coin, weights: () => [1] }, {}, 'weights gives [1] for the 2 actions'],
    ['weights of 0', { ...coin, weights: () => [1, 0] }, {}, 'weights gives [1,0]'],
    ['weights that fail', { ...coin, weights: () => [].map(boom) && boom() }, {}, 'boom'],
    ['weights that are no function', { ...coin, weights: [1, 1] }, {}, "The system's weights is"],
    ['a cost below 0', coin, { cost: () => -1 }, "The cost 'cost' of a step is -1"],
    ['a next that fails', { ...coin, next: boom }, {}, 'boom'],
  ])('%s', (_, system, options, what) => {
    expect(() => expectedOfSystem(system as PlainSystem<number, string>, options)).toThrow(what);
  });

  it('says that a limit was reached', () => {
    const found = expectedOfSystem(climb(100, 1, 1), { limits: { states: 10 } });
    expect(found).toMatchObject({ complete: false, limit: 'states' });
    expect(found.draws).toBeUndefined();
    expect(found.expectation).toBeUndefined();
  });
});

function boom(): never {
  throw new Error('boom');
}
