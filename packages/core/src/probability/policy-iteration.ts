import type { Component } from './component.js';
import { addTerm, eliminated, emptyRow, type Row } from './elimination.js';
import type { Means } from './means.js';
import { add, multiply, type Rational, rational } from './rational.js';
import { at } from './scope.js';
import { isTooLong, type Values } from './values.js';

/**
 * The exact values of a component by policy iteration (Howard 1960; from a policy that leaves it
 * with probability 1 on: Bertsekas & Tsitsiklis 1991). Its last round is the proof: no choice is
 * better. False if the values are too long, or those of states that it leads to are not known.
 */
export function iteratePolicies(
  component: Component,
  values: Values,
  means: Means,
  watch: { tick(weight?: number): void },
): boolean {
  const { members } = component;
  const policy = component.leavingPolicy();
  for (;;) {
    const rows = rowsOf(component, policy, values);
    const solution = rows && eliminated(rows, watch);
    if (!solution || solution.some(isTooLong)) return false;
    for (const [place, value] of solution.entries()) values.set(at(members, place), value);
    let isBest = true;
    for (const [place, state] of members.entries()) {
      const choice = means.best(state);
      if (choice === -1) return false;
      const standing = means.standing(state);
      if (standing < 0) throw new Error('unreachable: a policy is one of the choices');
      if (standing === 0) continue;
      policy[place] = choice;
      isBest = false;
    }
    if (isBest) return true;
  }
}

/** The linear equations of a policy; undefined if a value that it leads to is not known exactly. */
function rowsOf(
  { equations, members, places }: Component,
  policy: Int32Array,
  values: Values,
): readonly Row[] | undefined {
  const { firstBranch, targets, weights, costs } = equations;
  const rows: Row[] = [];
  for (const place of members.keys()) {
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
      else if (values.isExact(target)) mean = add(mean, values.exact(target));
      else return undefined;
      sum = add(sum, multiply(rational(BigInt(weight), total), mean));
    }
    row.constant = sum;
    rows.push(row);
  }
  return rows;
}
