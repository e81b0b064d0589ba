import type { Component } from './component.js';
import type { Means } from './means.js';
import type { Rational } from './rational.js';
import { at } from './scope.js';
import { isTooLong, type Values } from './values.js';

/** The values of a policy, by place; undefined if that is too much work, or there are none. */
export type Evaluation = (policy: Int32Array) => readonly Rational[] | undefined;

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
      const choice = means.best(state);
      if (choice === -1) return false;
      const standing = means.standing(state);
      if (standing < 0) return false; // the values are not those of the policy
      if (standing === 0) continue;
      policy[place] = choice;
      isBest = false;
    }
    if (isBest) return true;
  }
}
