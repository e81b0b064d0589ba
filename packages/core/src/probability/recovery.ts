import type { Component } from './component.js';
import type { Means } from './means.js';
import { at } from './scope.js';
import type { Values } from './values.js';

/** How close a fraction has to be to an approximation: several, since it has to prove itself. */
const tolerances = [2 ** -45, 2 ** -42, 2 ** -38, 2 ** -34, 2 ** -48];

/**
 * Takes the simplest fractions near the approximate values of a component, and proves them: they
 * are its values if they solve all of its equations. False if that fails.
 */
export function recoverValues(
  { members }: Component,
  approximate: Float64Array,
  values: Values,
  means: Means,
): boolean {
  return tolerances.some((tolerance) => {
    for (const [place, state] of members.entries()) {
      const value = at(approximate, place);
      const fraction = simplestBetween(value * (1 - tolerance), value * (1 + tolerance));
      if (fraction === undefined) return false;
      values.setSmall(state, ...fraction);
    }
    return isSolution(members, means);
  });
}

/** Whether the exact values of these states are the best means of their choices. */
export const isSolution = (members: Int32Array, means: Means): boolean =>
  members.every((state) => means.best(state) !== -1 && means.standing(state) === 0);

/**
 * The fraction with the smallest denominator between two numbers that are not negative, by their
 * continued fractions (Hardy & Wright: The Theory of Numbers, chapter 10). Undefined if it has no
 * safe integers.
 */
export function simplestBetween(
  low: number,
  high: number,
): readonly [numerator: number, denominator: number] | undefined {
  let [least, most] = [low, high];
  let [numerator, denominator] = [1, 0];
  let [numeratorBefore, denominatorBefore] = [0, 1];
  for (;;) {
    const whole = Math.floor(least);
    const isLast = whole === least || whole + 1 <= most;
    const part = isLast && whole !== least ? whole + 1 : whole;
    [numerator, numeratorBefore] = [part * numerator + numeratorBefore, numerator];
    [denominator, denominatorBefore] = [part * denominator + denominatorBefore, denominator];
    if (!(numerator <= Number.MAX_SAFE_INTEGER && denominator <= Number.MAX_SAFE_INTEGER))
      return undefined;
    if (isLast) return [numerator, denominator];
    [least, most] = [1 / (most - whole), 1 / (least - whole)];
  }
}
