/**
 * A second solver, as plain as can be: dense Gauss elimination of fractions for Markov chains, and
 * all memoryless schedulers of small decision processes, one after the other. No code is shared
 * with the first but the types.
 */

import fc from 'fast-check';
import type { DecisionProcess, Extreme, Value } from './decision-process.js';
import { toText } from './rational.js';

export interface Branch {
  readonly to: number;
  readonly weight: number;
  readonly cost: number;
}

/** By state, by choice. */
export type PlainProcess = readonly (readonly (readonly Branch[])[])[];

/** By state. */
export type Chain = readonly (readonly Branch[])[];

export function processOf(plain: PlainProcess): DecisionProcess {
  const choices = plain.flat();
  const branches = choices.flat();
  const starts = (sizes: readonly number[]) => {
    const list = [0];
    for (const size of sizes) list.push((list.at(-1) ?? 0) + size);
    return Int32Array.from(list);
  };
  return {
    states: plain.length,
    firstChoice: starts(plain.map((state) => state.length)),
    firstBranch: starts(choices.map((choice) => choice.length)),
    targets: Int32Array.from(branches.map(({ to }) => to)),
    weights: Float64Array.from(branches.map(({ weight }) => weight)),
    costs: Float64Array.from(branches.map(({ cost }) => cost)),
  };
}

export type Fraction = readonly [numerator: bigint, denominator: bigint];

export function fraction(numerator: bigint, denominator: bigint): Fraction {
  let [a, b] = [numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? [0n, 1n] : [numerator / a, denominator / a];
}
export const plus = ([a, b]: Fraction, [c, d]: Fraction) => fraction(a * d + c * b, b * d);
const minus = ([a, b]: Fraction, [c, d]: Fraction) => fraction(a * d - c * b, b * d);
export const times = ([a, b]: Fraction, [c, d]: Fraction) => fraction(a * c, b * d);
export const over = ([a, b]: Fraction, [c, d]: Fraction) => fraction(a * d, b * c);
const sign = ([a, b]: Fraction): number => Number(a === 0n ? 0n : a > 0n === b > 0n ? 1n : -1n);
export const differenceSign = (a: Fraction, b: Fraction): number => sign(minus(a, b));
export const textOf = ([a, b]: Fraction): string => {
  const [n, d] = b < 0n ? [-a, -b] : [a, b];
  return d === 1n ? `${n}` : `${n}/${d}`;
};

/** x with (I − P) x = c, for a matrix I − P with one solution. */
function gauss(matrix: Fraction[][], constants: Fraction[]): Fraction[] {
  const size = constants.length;
  const rows = matrix.map((row, index) => [...row, constants[index] as Fraction]);
  const cell = (row: number, column: number) => rows[row]?.[column] as Fraction;
  for (let column = 0; column < size; column++) {
    const pivot = rows.findIndex(
      (row, index) => index >= column && sign(row[column] as Fraction) !== 0,
    );
    [rows[column], rows[pivot]] = [rows[pivot] as Fraction[], rows[column] as Fraction[]];
    for (let row = column + 1; row < size; row++) {
      if (sign(cell(row, column)) === 0) continue;
      const factor = over(cell(row, column), cell(column, column));
      for (let place = column; place <= size; place++)
        if (sign(cell(column, place)) !== 0)
          (rows[row] as Fraction[])[place] = minus(
            cell(row, place),
            times(factor, cell(column, place)),
          );
    }
  }
  const solution: Fraction[] = [];
  for (let row = size - 1; row >= 0; row--) {
    let sum = cell(row, size);
    for (let place = row + 1; place < size; place++)
      sum = minus(sum, times(cell(row, place), solution[place] as Fraction));
    solution[row] = over(sum, cell(row, row));
  }
  return solution;
}

const total = (branches: readonly Branch[]) =>
  branches.reduce((sum, { weight }) => sum + BigInt(weight), 0n);

/** By state: whether it reaches the goal. */
function reachers(chain: Chain, goal: readonly boolean[]): boolean[] {
  const found = [...goal];
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const [state, branches] of chain.entries())
      if (!found[state] && branches.some(({ to }) => found[to])) isNew = found[state] = true;
  }
  return found;
}

/** By state: the probability to reach the goal. */
export function chainProbabilities(chain: Chain, goal: readonly boolean[]): Fraction[] {
  const possible = reachers(chain, goal);
  return solved(chain, possible, goal, (branch) => (goal[branch.to] ? 1 : 0));
}

/** By state: the expected cost until the goal, undefined for infinite. */
export function chainCosts(chain: Chain, goal: readonly boolean[]): (Fraction | undefined)[] {
  const possible = reachers(chain, goal);
  const misses = reachers(
    chain.map((branches, state) => (goal[state] ? [] : branches)),
    possible.map((is) => !is),
  );
  const costs = solved(
    chain,
    misses.map((is) => !is),
    goal,
    ({ cost }) => cost,
  );
  return costs.map((cost, state) => (misses[state] ? undefined : cost));
}

function solved(
  chain: Chain,
  isUnknown: readonly boolean[],
  goal: readonly boolean[],
  gain: (branch: Branch) => number,
): Fraction[] {
  const unknowns = [...chain.keys()].filter((state) => isUnknown[state] && !goal[state]);
  const place = new Map(unknowns.map((state, index) => [state, index]));
  const matrix = unknowns.map((_, row) =>
    unknowns.map((_, column): Fraction => [row === column ? 1n : 0n, 1n]),
  );
  const constants = unknowns.map((): Fraction => [0n, 1n]);
  for (const [row, state] of unknowns.entries()) {
    const branches = chain[state] ?? [];
    for (const branch of branches) {
      const share = fraction(BigInt(branch.weight), total(branches));
      constants[row] = plus(constants[row] as Fraction, times(share, [BigInt(gain(branch)), 1n]));
      const column = place.get(branch.to);
      if (column === undefined) continue;
      const cells = matrix[row] as Fraction[];
      cells[column] = minus(cells[column] as Fraction, share);
    }
  }
  const solution = gauss(matrix, constants);
  return chain.map((_, state) => {
    const index = place.get(state);
    if (index !== undefined) return solution[index] as Fraction;
    return [0n, 1n];
  });
}

/** Every memoryless scheduler of a process, as the chain that it makes. */
function* schedulers(plain: PlainProcess): Generator<Chain> {
  const picks = plain.map(() => 0);
  for (;;) {
    yield plain.map((choices, state) => choices[picks[state] ?? 0] ?? []);
    let state = 0;
    while (state < plain.length) {
      picks[state] = (picks[state] ?? 0) + 1;
      if ((picks[state] ?? 0) < (plain[state]?.length ?? 0)) break;
      picks[state++] = 0;
    }
    if (state === plain.length) return;
  }
}

/** The extreme over all memoryless schedulers; undefined for infinite. */
function extremeOf(
  values: readonly (Fraction | undefined)[],
  extreme: Extreme,
): Fraction | undefined {
  const better = (a: Fraction, b: Fraction) =>
    extreme === 'least' ? differenceSign(a, b) < 0 : differenceSign(a, b) > 0;
  let best = values[0];
  for (const value of values) {
    if (extreme === 'greatest' && (!value || !best)) return undefined;
    if (value && (!best || better(value, best))) best = value;
  }
  return best;
}

export const plainProbability = (
  plain: PlainProcess,
  goal: readonly boolean[],
  extreme: Extreme,
  initial = 0,
): Fraction =>
  goal[initial]
    ? [1n, 1n]
    : (extremeOf(
        [...schedulers(plain)].map((chain) => chainProbabilities(chain, goal)[initial]),
        extreme,
      ) as Fraction); // no probability is undefined

export const plainCost = (
  plain: PlainProcess,
  goal: readonly boolean[],
  extreme: Extreme,
  initial = 0,
): Fraction | undefined =>
  extremeOf(
    [...schedulers(plain)].map((chain) => chainCosts(chain, goal)[initial]),
    extreme,
  );

// Random decision processes, and how answers read in the tests.

/** A fraction, `interval`, or `infinite`. */
export const answer = (value: Value): string =>
  value.kind === 'exact' ? toText(value.value) : value.kind;

export const goalSet = (goal: readonly boolean[]): Uint8Array => Uint8Array.from(goal, Number);

const fewWeights = [1, 1, 1, 2, 3, 7];

const branch = (states: number, costs: readonly number[], weights = fewWeights) =>
  fc.record({
    to: fc.nat(states - 1),
    weight: fc.constantFrom(...weights),
    cost: fc.constantFrom(...costs),
  });

const most = Number.MAX_SAFE_INTEGER;
const largeWeights = [1, 3, 2 ** 20 + 7, 2 ** 31 - 1, 2 ** 40, 2 ** 52 + 1, most - 1, most];
const largeCosts = [0, 0, 0, 1, 2 ** 33 + 3, most];

/** Many costs are 0, so that there are end components without costs. */
export const processOfSize = (states: number, choices: number, areLarge = false) =>
  fc.record({
    plain: fc.array(
      fc.array(
        fc.array(
          areLarge ? branch(states, largeCosts, largeWeights) : branch(states, [0, 0, 0, 1, 2, 5]),
          { minLength: 1, maxLength: 3 },
        ),
        { maxLength: choices },
      ),
      { minLength: states, maxLength: states },
    ),
    goal: fc.array(
      fc.nat(3).map((die) => die === 0),
      { minLength: states, maxLength: states },
    ),
  });

export const smallProcess = fc
  .record({ states: fc.integer({ min: 1, max: 6 }), choices: fc.integer({ min: 1, max: 3 }) })
  .chain(({ states, choices }) => processOfSize(states, choices));

export const chainOf = (states: number) =>
  fc.array(fc.array(branch(states, [0, 1, 2, 3]), { minLength: 1, maxLength: 3 }), {
    minLength: states,
    maxLength: states,
  });
