import type { Component } from './component.js';
import { addTerm, eliminated, emptyRow, type Row } from './elimination.js';
import { eliminationOrder } from './elimination-order.js';
import { Factors, type IntegerMatrix } from './factors.js';
import { liftedSolution, mostWeight } from './lifting.js';
import type { Evaluation } from './policy-iteration.js';
import { add, multiply, type Rational, rational } from './rational.js';
import { at } from './scope.js';
import { isTooLong, type Values } from './values.js';

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
