/** The ways to solve a component tell the same: by elimination, by approximation, by bounds. */
import { assertRuns, leftToTest, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Extreme, scopeOf, type Value } from './decision-process.js';
import type { Equations } from './equations.js';
import { greatestCost, leastCost } from './expected-cost.js';
import { type PlainProcess, processOf } from './plain-solver.contract.js';
import { answer, goalSet, processOfSize } from './random-process.contract.js';
import { toNumber } from './rational.js';
import { probabilityEquations } from './reach-probability.js';
import { solve } from './solve.js';

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

it('weights and costs up to the largest safe integers: the same', () => {
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
