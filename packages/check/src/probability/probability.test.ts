/** Examples whose values are known. */

import { assertRuns, isWhole, leftToTest, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Extreme, type Lasso, scopeOf, type Value } from './decision-process.js';
import type { Equations } from './equations.js';
import { expectedCost, greatestCost, leastCost } from './expected-cost.js';
import {
  answer,
  type Branch,
  type Chain,
  chainCosts,
  chainOf,
  chainProbabilities,
  type Fraction,
  goalSet,
  type PlainProcess,
  plainCost,
  plainProbability,
  processOf,
  processOfSize,
  smallProcess,
  textOf,
} from './plain-solver.contract.js';
import { probabilityWithin } from './probability-within.js';
import {
  add,
  bitsOf,
  compare,
  divide,
  multiply,
  rational,
  subtract,
  toNumber,
  toText,
} from './rational.js';
import { probabilityEquations, reachProbability } from './reach-probability.js';
import { simplestBetween, solve } from './solve.js';

const to = (state: number, weight = 1, cost = 1): Branch => ({ to: state, weight, cost });

/** Least and greatest, if they are not the same. */
function both(ask: (extreme: Extreme) => string): string {
  const [least, greatest] = [ask('least'), ask('greatest')];
  return least === greatest ? least : `${least} … ${greatest}`;
}

const asked = (plain: PlainProcess, goals: readonly number[], initial = 0) => {
  const process = processOf(plain);
  const goal = Uint8Array.from(plain, (_, state) => (goals.includes(state) ? 1 : 0));
  const question = (extreme: Extreme) => ({ goal, extreme, initial });
  return {
    cost: both((extreme) => answer(expectedCost(process, question(extreme)))),
    probability: both((extreme) => answer(reachProbability(process, question(extreme)))),
    within: (most: number) =>
      both((extreme) => answer(probabilityWithin(process, { ...question(extreme), most }))),
  };
};

it("the gambler's ruin", () => {
  const plain = Array.from({ length: 11 }, (_, money) =>
    money % 10 === 0 ? [] : [[to(money - 1), to(money + 1)]],
  );
  expect(asked(plain, [10], 3).probability).toBe('3/10');
  expect(asked(plain, [0, 10], 3).cost).toBe('21');
  expect(asked(plain, [10], 3).cost).toBe('infinite');
});

it.each([
  [5, '137/12'],
  [10, '7381/252'],
])('the collector of %i coupons needs n · H(n)', (count, expected) => {
  const plain = Array.from({ length: count + 1 }, (_, has) =>
    has === count ? [] : [[to(has + 1, count - has), ...(has > 0 ? [to(has, has)] : [])]],
  );
  expect(asked(plain, [count]).cost).toBe(expected);
});

it('a fair coin from one that shows heads in one of three throws', () => {
  const plain = [[[to(1), to(2, 2)]], [[to(0), to(3, 2)]], [[to(4), to(0, 2)]], [], []];
  expect(asked(plain, [3]).probability).toBe('1/2');
  expect(asked(plain, [3, 4]).cost).toBe('9/2');
});

it('a die from coins (Knuth & Yao)', () => {
  const die = [7, 8, 9, 10, 11, 12];
  const coins = [
    [1, 2],
    [3, 4],
    [5, 6],
    [1, 7],
    [8, 9],
    [10, 11],
    [12, 2],
  ];
  const plain = [...coins.map((sides) => [sides.map((state) => to(state))]), ...die.map(() => [])];
  for (const side of die) expect(asked(plain, [side]).probability).toBe('1/6');
  expect(asked(plain, die).cost).toBe('11/3');
  expect(asked(plain, die).within(3)).toBe('3/4');
  expect(asked(plain, die).within(2)).toBe('0');
});

it('a cycle that costs nothing: value iteration from 0 would stay there', () => {
  const plain = [[[to(1, 1, 0)]], [[to(0, 1, 0)], [to(2, 1, 5)]], []];
  expect(asked(plain, [2]).cost).toBe('5 … infinite');
  expect(asked(plain, [2]).probability).toBe('0 … 1');
});

it('an end component of which the greatest probability would prove itself', () => {
  const plain = [[[to(1)]], [[to(0)], [to(2, 1), to(3, 2)]], [], []];
  expect(asked(plain, [2]).probability).toBe('0 … 1/3');
});

it('so many heads in a row that value iteration stops long before', () => {
  const heads = (count: number) =>
    Array.from({ length: count + 1 }, (_, has) => (has === count ? [] : [[to(has + 1), to(0)]]));
  for (const count of [10, 60, 200])
    expect(asked(heads(count), [count]).cost).toBe(`${2n ** BigInt(count + 1) - 2n}`);
});

it('two sides of equal length (Haddad & Monmege): each is reached with probability 1/2', () => {
  const side = 120;
  const plain = Array.from({ length: 2 * side + 1 }, (_, state) => {
    if (state === 0) return [[to(1), to(side + 1)]];
    return state % side === 0 ? [] : [[to(state + 1), to(0)]];
  });
  expect(asked(plain, [side]).probability).toBe('1/2');
  expect(asked(plain, [side, 2 * side]).probability).toBe('1');
});

it('k throws for heads suffice with probability 1 − 2^−k', () => {
  const plain = [[[to(1), to(0)]], []];
  for (const most of [0, 1, 2, 10])
    expect(asked(plain, [1]).within(most)).toBe(most === 0 ? '0' : `${2 ** most - 1}/${2 ** most}`);
});

it('a scheduler that knows what is left takes the fast risk or the slow way', () => {
  const plain = [[[to(1, 1, 1), to(2, 1, 1)], [to(1, 1, 3)]], [], [[to(1, 1, 9)]]];
  expect([1, 2, 3, 10].map(asked(plain, [1]).within)).toEqual([
    '0 … 1/2',
    '0 … 1/2',
    '1/2 … 1',
    '1',
  ]);
});

it('a goal at the start', () => {
  const plain = [[[to(0)]]];
  expect(asked(plain, [0])).toMatchObject({ cost: '0', probability: '1' });
  expect(asked(plain, [0]).within(0)).toBe('1');
});

it('refuses a process that makes no sense', () => {
  const ask = (plain: PlainProcess) => () => asked(plain, [0]).cost;
  expect(ask([[[to(0, 0.5)]]])).toThrow(
    'The weight 0.5 of branch 0 is not a positive whole number. Multiply the weights',
  );
  expect(ask([[[to(0, 1, -1)]]])).toThrow('The cost -1 of branch 0');
  expect(ask([[[]]])).toThrow('Choice 0 of the decision process has no branches');
  expect(() => asked([[]], [0]).within(0.5)).toThrow('The cost 0.5 is not a whole number');
});

// Random decision processes and Markov chains: the solver against the plain one.

const extremes: readonly Extreme[] = ['least', 'greatest'];

const told = (value: Fraction | undefined): string => (value ? textOf(value) : 'infinite');

it('decision processes of up to 6 states: every memoryless scheduler tried, nothing is better', () => {
  const met = { infinite: 0, fractions: 0 };
  assertRuns(
    fc.property(smallProcess, ({ plain, goal }) => {
      const process = processOf(plain);
      for (const extreme of extremes) {
        const question = { goal: goalSet(goal), extreme };
        expect(answer(reachProbability(process, question))).toBe(
          told(plainProbability(plain, goal, extreme)),
        );
        const cost = expectedCost(process, question);
        expect(answer(cost)).toBe(told(plainCost(plain, goal, extreme)));
        if (cost.kind === 'infinite') {
          expectRun(plain, goal, cost.lasso);
          met.infinite++;
        } else if (answer(cost).includes('/')) met.fractions++;
      }
    }),
    75,
    6000,
    26,
  );
  if (isWhole) expect(Math.min(...Object.values(met))).toBeGreaterThan(300);
});

/** A lasso is a run from state 0 that never reaches the goal. */
function expectRun(plain: PlainProcess, goal: readonly boolean[], { branches, loopsFrom }: Lasso) {
  const all = plain.flatMap((choices, from) => choices.flat().map(({ to }) => ({ from, to })));
  const steps = branches.map((index) => all[index] as { from: number; to: number });
  const states = [0, ...steps.map(({ to }) => to)];
  expect(steps.map(({ from }) => from)).toEqual(states.slice(0, -1));
  expect(states.filter((state) => goal[state])).toEqual([]);
  const last = states.at(-1) as number; // state 0 at least
  if (loopsFrom === branches.length) expect(plain[last]).toEqual([]);
  else expect(last).toBe(states[loopsFrom]);
}

it('weights and costs up to the largest safe integers: the same', () => {
  assertRuns(
    fc.property(processOfSize(4, 2, true), ({ plain, goal }) => {
      const process = processOf(plain);
      for (const extreme of extremes) {
        const question = { goal: goalSet(goal), extreme };
        const probability = told(plainProbability(plain, goal, extreme));
        expect(answer(reachProbability(process, question))).toBe(probability);
        const cost = told(plainCost(plain, goal, extreme));
        expect(answer(expectedCost(process, question))).toBe(cost);
      }
    }),
    25,
    3000,
    36,
  );
});

it('a cost of at most k: the same as the process with what is left of the cost', () => {
  assertRuns(
    fc.property(smallProcess, fc.nat(3), ({ plain: large, goal }, most) => {
      const plain = large
        .slice(0, 3)
        .map((choices) =>
          choices
            .slice(0, 2)
            .map((branches) =>
              branches.map((one) => ({ ...one, to: one.to % Math.min(3, large.length) })),
            ),
        );
      const product = withBudget(plain, goal, most);
      for (const extreme of extremes)
        expect(
          answer(probabilityWithin(processOf(plain), { goal: goalSet(goal), extreme, most })),
        ).toBe(
          answer(
            reachProbability(processOf(product.plain), { goal: goalSet(product.goal), extreme }),
          ),
        );
    }),
    25,
    2000,
    27,
  );
});

/** State s with k spent is number k · n + s; the last one is where more is spent. */
function withBudget(plain: PlainProcess, goal: readonly boolean[], most: number) {
  const count = plain.length;
  const levels = Array.from({ length: most + 1 }, (_, spent) =>
    plain.map((choices) =>
      choices.map((branches) =>
        branches.map(({ to, weight, cost }) => ({
          to: spent + cost > most ? (most + 1) * count : (spent + cost) * count + to,
          weight,
          cost: 0,
        })),
      ),
    ),
  );
  return {
    plain: [...levels.flat(), []],
    goal: [...levels.flatMap((level) => level.map((_, state) => goal[state] ?? false)), false],
  };
}

function expectChain(chain: Chain, goal: readonly boolean[]) {
  const process = processOf(chain.map((branches) => (branches.length > 0 ? [branches] : [])));
  for (const extreme of extremes) {
    const question = { goal: goalSet(goal), extreme };
    const probability = goal[0] ? ([1n, 1n] as const) : chainProbabilities(chain, goal)[0];
    expect(answer(reachProbability(process, question))).toBe(told(probability));
    expect(answer(expectedCost(process, question))).toBe(told(chainCosts(chain, goal)[0]));
  }
}

it('Markov chains of 30 states: the same as by dense elimination', () => {
  assertRuns(
    fc.property(chainOf(30), (chain) => {
      expectChain(
        chain,
        chain.map((_, state) => state === 29),
      );
    }),
    5,
    300,
    28,
  );
});

proof('Markov chains of 300 states: the same as by dense elimination', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(chainOf(300), (chain) => {
      expectChain(
        chain,
        chain.map((_, state) => state === 299),
      );
    }),
    { seed: 29, numRuns: 3 },
  );
});

// The ways to solve a component tell the same: by elimination, by approximation, by bounds.

const watch = { tick: () => {} };

/** Of the least and greatest probability and, where that is finite, cost. */
function equationsOf(plain: PlainProcess, goal: readonly boolean[]): readonly Equations[] {
  const of = (extreme: Extreme) => scopeOf(processOf(plain), { goal: goalSet(goal), extreme });
  const costs = [leastCost(of('least')), greatestCost(of('greatest'))];
  return [
    probabilityEquations(of('least'), 'least'),
    probabilityEquations(of('greatest'), 'greatest'),
    ...costs.flatMap((cost) => (cost.kind === 'finite' ? [cost.equations] : [])),
  ];
}

let unbounded = 0;

function expectSame(equations: Equations, precision: number): Value {
  const value = solve(equations, watch, { small: Infinity });
  expect(answer(solve(equations, watch, { small: 1 }))).toBe(answer(value));
  const bounds = solve(equations, watch, { isExact: false });
  if (value.kind !== 'exact' || bounds.kind === 'infinite') throw new Error('not a number');
  if (bounds.kind === 'exact') {
    expect(answer(bounds)).toBe(answer(value)); // no component of several states
    return bounds;
  }
  const exact = toNumber(value.value);
  expect(bounds.least).toBeLessThanOrEqual(exact);
  expect(bounds.greatest).toBeGreaterThanOrEqual(exact);
  // for one of thousands, the largest possible value is all that is proved
  if (bounds.greatest < equations.most)
    expect(bounds.greatest - bounds.least).toBeLessThanOrEqual(precision * exact);
  else unbounded++;
  return bounds;
}

it('small decision processes: fractions that are recovered or lifted, and bounds around them', () => {
  leftToTest(); // few runs have bounds
  let intervals = 0;
  assertRuns(
    fc.property(processOfSize(8, 3), ({ plain, goal }) => {
      for (const equations of equationsOf(plain, goal))
        if (expectSame(equations, 1e-9).kind === 'interval') intervals++;
    }),
    50,
    5000,
    31,
  );
  expect(intervals).toBeGreaterThan(5);
  expect(unbounded).toBeLessThan(intervals / 100);
});

it('equations with weights and costs up to the largest safe integers: bounds around the fraction', () => {
  assertRuns(
    fc.property(processOfSize(6, 2, true), ({ plain, goal }) => {
      for (const equations of equationsOf(plain, goal)) {
        const value = solve(equations, watch, { small: Infinity });
        const bounds = solve(equations, watch, { isExact: false });
        if (value.kind !== 'exact' || bounds.kind !== 'interval') continue;
        const exact = toNumber(value.value);
        expect(bounds.least).toBeLessThanOrEqual(exact);
        expect(bounds.greatest).toBeGreaterThanOrEqual(exact);
      }
    }),
    3,
    200,
    37,
  );
});

proof('decision processes of 60 states: the same', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(processOfSize(60, 3), fc.nat(59), ({ plain }, goal) => {
      for (const equations of equationsOf(
        plain,
        plain.map((_, state) => state === goal),
      ))
        expectSame(equations, 1e-7);
    }),
    { seed: 32, numRuns: 100 },
  );
});

const fraction = fc
  .tuple(fc.bigInt(-(2n ** 200n), 2n ** 200n), fc.bigInt(1n, 2n ** 200n))
  .map(([numerator, denominator]) => rational(numerator, denominator));

it('calculates in lowest terms', () => {
  expect(toText(rational(6n, -4n))).toBe('-3/2');
  expect(toText(add(rational(1n, 6n), rational(1n, 3n)))).toBe('1/2');
  expect(toText(subtract(rational(1n, 6n), rational(1n, 6n)))).toBe('0');
  expect(toText(multiply(rational(2n, 3n), rational(9n, 2n)))).toBe('3');
  expect(toText(divide(rational(2n, 3n), rational(-4n, 3n)))).toBe('-1/2');
  assertRuns(
    fc.property(fraction, fraction, (a, b) => {
      expect(subtract(add(a, b), b)).toEqual(a);
      expect(compare(a, b)).toBe(Math.sign(compare(subtract(a, b), rational(0n))));
    }),
    50,
    2000,
    33,
  );
});

it('the number of bits', () => {
  for (const value of [1n, 2n, 7n, 8n, 255n, 256n, 2n ** 100n - 1n, 2n ** 100n])
    expect(bitsOf(value)).toBe(value.toString(2).length);
});

it('the closest number, of any size', () => {
  expect(toNumber(rational(10n ** 300n, 3n))).toBe(1e300 / 3);
  expect(toNumber(rational(-1n, 3n * 10n ** 290n))).toBe(-1e-290 / 3);
  expect(toNumber(rational(2n ** 1100n))).toBe(Infinity);
  expect(toNumber(rational(1n, 2n ** 1074n))).toBe(Number.MIN_VALUE);
  expect(toNumber(rational(1n, 2n ** 3000n))).toBe(0);
  assertRuns(
    fc.property(fc.integer(), fc.integer({ min: 1 }), (numerator, denominator) => {
      const long = 3n ** 700n;
      expect(toNumber(rational(BigInt(numerator), BigInt(denominator))) + 0).toBe(
        numerator / denominator + 0,
      );
      expect(
        toNumber({ numerator: BigInt(numerator) * long, denominator: BigInt(denominator) * long }) +
          0,
      ).toBe(numerator / denominator + 0);
    }),
    100,
    5000,
    34,
  );
});

it('the simplest fraction between two numbers: no smaller denominator has one', () => {
  assertRuns(
    fc.property(
      fc.double({ min: 0, max: 20, noNaN: true }),
      fc.double({ min: 1e-4, max: 1, noNaN: true }),
      (low, width) => {
        const high = low + width;
        const [numerator, denominator] = simplestBetween(low, high) ?? [0, 0];
        let least = 1;
        while (Math.ceil(low * least) > high * least) least++;
        expect(denominator).toBe(least);
        expect(numerator).toBe(Math.ceil(low * least));
      },
    ),
    50,
    2000,
    35,
  );
  expect(simplestBetween(1 / 3, 1 / 3 + 1e-300)?.[1]).toBeGreaterThan(2);
  expect(simplestBetween(Number.NaN, 1)).toBeUndefined();
});
