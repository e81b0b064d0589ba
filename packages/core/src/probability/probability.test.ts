/** Random decision processes and Markov chains: the solver against the plain one. */
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Extreme, Lasso } from './decision-process.js';
import { expectedCost } from './expected-cost.js';
import {
  type Chain,
  chainCosts,
  chainProbabilities,
  type Fraction,
  type PlainProcess,
  plainCost,
  plainProbability,
  processOf,
  textOf,
} from './plain-solver.contract.js';
import { probabilityWithin } from './probability-within.js';
import {
  answer,
  chainOf,
  goalSet,
  processOfSize,
  smallProcess,
} from './random-process.contract.js';
import { reachProbability } from './reach-probability.js';

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
