/**
 * The values of a component, exactly, by policy iteration: the values of one policy, then of a better
 * one. Those of a policy by elimination in components of few states, by lifting of a solution modulo
 * a prime in larger ones.
 */
import { at } from './decision-process.js';
import { addTerm, eliminated, emptyRow, type Row } from './elimination.js';
import type { Component } from './equations.js';
import type { Means } from './means.js';
import { add, multiply, type Rational, rational } from './rational.js';
import { eliminationOrder, Factors, type IntegerMatrix, prime } from './sparse-factors.js';
import { isTooLong, type Values } from './values.js';

/** The values of a policy, by place; undefined if that is too much work, or there are none. */
type Evaluation = (policy: Int32Array) => readonly Rational[] | undefined;

/**
 * The exact values of a component by policy iteration (Howard 1960; from a policy that leaves it
 * with probability 1 on: Bertsekas & Tsitsiklis 1991). Its last round is the proof: the values solve
 * all equations. False if there is none.
 *
 * @param policy The first one, by place; it is changed
 */
export function iteratePolicies(
  { members }: Component,
  policy: Int32Array,
  evaluate: Evaluation,
  values: Values,
  means: Means,
): boolean {
  for (;;) {
    const solution = evaluate(policy);
    if (!solution || solution.some(isTooLong)) return false;
    for (const [place, value] of solution.entries()) values.set(at(members, place), value);
    let isBest = true;
    for (const [place, state] of members.entries()) {
      const choice = means.findBest(state);
      if (choice === -1) return false;
      const gain = means.compareToValue(state);
      if (gain < 0) return false; // the values are not those of the policy
      if (gain === 0) continue;
      policy[place] = choice;
      isBest = false;
    }
    if (isBest) return true;
  }
}

/** The values of a policy by elimination, for components of few states. */
export const byElimination =
  (component: Component, values: Values, watch: { tick(weight?: number): void }): Evaluation =>
  (policy) =>
    eliminated(rowsOf(component, policy, values), watch);

/** The values of a policy by lifting, for components of many states. */
export const byLifting =
  (component: Component, values: Values, watch: { tick(weight?: number): void }): Evaluation =>
  (policy) => {
    const matrix = matrixOf(component, policy);
    const common = commonDenominator(component, policy, values);
    if (!matrix || !common) return undefined;
    const order = eliminationOrder(matrix, watch);
    const factors = order && Factors.of(matrix, order, watch);
    const right = rightSides(component, policy, values, common);
    const solution = factors && liftedSolution(matrix, factors, right, watch);
    return solution?.map(({ numerator, denominator }) => rational(numerator, denominator * common));
  };

function rowsOf(
  { equations, members, places }: Component,
  policy: Int32Array,
  values: Values,
): readonly Row[] {
  const { firstBranch, targets, weights, costs } = equations;
  return Array.from(members, (_, place) => {
    const choice = at(policy, place);
    const [begin, end] = [at(firstBranch, choice), at(firstBranch, choice + 1)];
    let total = 0n;
    for (let branch = begin; branch < end; branch++) total += BigInt(at(weights, branch));
    const row = emptyRow();
    let sum: Rational = row.constant;
    for (let branch = begin; branch < end; branch++) {
      const [target, weight] = [at(targets, branch), at(weights, branch)];
      const used = at(places, target);
      let mean = rational(BigInt(at(costs, branch)));
      if (used !== -1) addTerm(row, used, weight, total);
      else mean = add(mean, values.exact(target));
      sum = add(sum, multiply(rational(BigInt(weight), total), mean));
    }
    row.constant = sum;
    return row;
  });
}

/** The equations of a policy, times the sums of weights; undefined if these are too large. */
function matrixOf(
  { equations, members, places }: Component,
  policy: Int32Array,
): IntegerMatrix | undefined {
  const { firstBranch, targets, weights } = equations;
  const size = members.length;
  const first = new Int32Array(size + 1);
  const columns: number[] = [];
  const entries: number[] = [];
  const diagonal = new Float64Array(size);
  for (let place = 0; place < size; place++) {
    const choice = at(policy, place);
    let total = 0;
    for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++) {
      const column = at(places, at(targets, branch));
      if (column === place) continue;
      total += at(weights, branch);
      if (column === -1) continue;
      columns.push(column);
      entries.push(at(weights, branch));
    }
    if (total > mostWeight) return undefined;
    diagonal[place] = total;
    first[place + 1] = columns.length;
  }
  return {
    size,
    first,
    columns: Int32Array.from(columns),
    weights: Float64Array.from(entries),
    diagonal,
  };
}

/** Of the values that a policy leads to, outside the component; undefined if it is too long. */
function commonDenominator(
  { equations, places }: Component,
  policy: Int32Array,
  values: Values,
): bigint | undefined {
  const { firstBranch, targets } = equations;
  const isSeen = new Set<number>();
  let common = 1n;
  for (const choice of policy)
    for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++) {
      const target = at(targets, branch);
      if (places[target] !== -1 || isSeen.has(target)) continue;
      isSeen.add(target);
      const { denominator } = values.exact(target);
      if (common % denominator !== 0n) common *= rational(denominator, common).numerator;
      if (isTooLong({ numerator: common, denominator })) return undefined;
    }
  return common;
}

/** What the rows are equal to: costs and values outside, times weights and common denominator. */
function rightSides(
  { equations, members, places }: Component,
  policy: Int32Array,
  values: Values,
  common: bigint,
): readonly bigint[] {
  const { firstBranch, targets, weights, costs } = equations;
  return Array.from(members, (_, place) => {
    const choice = at(policy, place);
    let sum = 0n;
    for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++) {
      const target = at(targets, branch);
      let value = BigInt(at(costs, branch)) * common;
      if (places[target] === -1) {
        const { numerator, denominator } = values.exact(target);
        value += numerator * (common / denominator);
      }
      sum += BigInt(at(weights, branch)) * value;
    }
    return sum;
  });
}

/** 4,096 bits each of numerator and denominator. */
const mostDigits = 316;
/** Entries of the factors that are used for all digits. */
const mostWork = 2 ** 29;
/** More remainders are not kept: a quarter of a gigabyte. */
const mostKept = 2 ** 26;
/** Of the right sides, those that are small enough for sums without BigInt. */
const mostSmall = 2 ** 50;
/** The weights of a row, for the same reason. */
const mostWeight = 2 ** 25;

const bigPrime = BigInt(prime);

/**
 * The solution of linear equations with integers, digit by digit to the base of a prime (Dixon:
 * Exact solution of linear equations using p-adic expansions, 1982), and from these digits as
 * fractions. Not proved. Undefined if the fractions are too long.
 */
function liftedSolution(
  matrix: IntegerMatrix,
  factors: Factors,
  right: readonly bigint[],
  watch: { tick(weight?: number): void },
): readonly Rational[] | undefined {
  const residuals = new Residuals(matrix, right);
  const digits: Int32Array[] = [];
  const most = Math.min(
    mostDigits,
    Math.floor(mostKept / matrix.size),
    Math.floor(mostWork / (factors.entries + matrix.size)),
  );
  for (let next = 4; digits.length < most; next = Math.min(2 * next, most)) {
    while (digits.length < next) {
      watch.tick(matrix.size);
      const digit = factors.solve(residuals.remainders());
      digits.push(digit);
      residuals.subtract(digit);
    }
    const solution = fractions(digits, matrix.size, watch);
    if (solution) return solution;
  }
  return undefined;
}

/** What is left of the right sides, divided by the prime for each digit. */
class Residuals {
  #large: bigint[] | undefined;
  #small: Float64Array;

  constructor(
    private readonly matrix: IntegerMatrix,
    right: readonly bigint[],
  ) {
    this.#large = [...right];
    this.#small = new Float64Array(matrix.size);
    this.#shrink();
  }

  /** Uses numbers once they suffice. */
  #shrink(): void {
    const isSmall = (value: bigint) => Math.abs(Number(value)) < mostSmall;
    if (!this.#large?.every(isSmall)) return;
    this.#small = Float64Array.from(this.#large, Number);
    this.#large = undefined;
  }

  remainders(): Float64Array {
    if (!this.#large) return this.#small.map((value) => positive(value % prime));
    return Float64Array.from(this.#large, (value) => positive(Number(value % bigPrime)));
  }

  subtract(digit: Int32Array): void {
    const { size, diagonal, first, columns, weights } = this.matrix;
    for (let row = 0; row < size; row++) {
      let product = at(diagonal, row) * at(digit, row);
      for (let term = at(first, row); term < at(first, row + 1); term++)
        product -= at(weights, term) * at(digit, at(columns, term));
      if (this.#large)
        this.#large[row] = ((this.#large[row] as bigint) - BigInt(product)) / bigPrime; // by row
      else this.#small[row] = (at(this.#small, row) - product) / prime;
    }
    if (this.#large) this.#shrink();
  }
}

const positive = (rest: number): number => (rest < 0 ? rest + prime : rest);

/** How much more has to be known than a fraction takes, so that it is hardly there by chance. */
const spareBits = 40n;

/** The fractions with these digits; undefined if there are too few digits to tell. */
function fractions(
  digits: readonly Int32Array[],
  size: number,
  watch: { tick(weight?: number): void },
): readonly Rational[] | undefined {
  const modulus = bigPrime ** BigInt(digits.length);
  const bound = modulus >> spareBits;
  const solution: Rational[] = [];
  let common = 1n;
  for (let row = 0; row < size; row++) {
    watch.tick(digits.length);
    let value = 0n;
    for (let index = digits.length - 1; index >= 0; index--)
      value = value * bigPrime + BigInt(at(digits[index] as Int32Array, row)); // index < length
    value = (value * common) % modulus;
    if (value * common >= bound) {
      const found = fractionWith(value, modulus);
      value = found.numerator;
      common *= found.denominator;
      if (value < 0n || value * common >= bound) return undefined;
    }
    solution.push(rational(value, common));
  }
  return solution;
}

/** A fraction of small numbers that is this value to the modulus, by half of Euclid's algorithm. */
function fractionWith(value: bigint, modulus: bigint): Rational {
  const half = 1n << BigInt(Math.floor(modulus.toString(2).length / 2));
  let [large, small] = [modulus, value];
  let [before, after] = [0n, 1n];
  while (small >= half) {
    const quotient = large / small;
    [large, small] = [small, large - quotient * small];
    [before, after] = [after, before - quotient * after];
  }
  return after < 0n
    ? { numerator: -small, denominator: -after }
    : { numerator: small, denominator: after };
}
