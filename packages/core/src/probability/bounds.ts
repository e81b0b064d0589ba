import type { Approximation } from './approximation.js';
import type { Component } from './component.js';
import type { Means } from './means.js';
import { above, below } from './rounding.js';
import { at } from './scope.js';
import type { Values } from './values.js';

/** How exact the errors have to be: roughly first, since that often suffices. */
const enough = [2 ** -10, 2 ** -30];
/** How many times the errors are allowed for. */
const factor = 2;
/** Sweeps that need no guess. */
const mostSweeps = 1000;

/** Approximate values, by place, and the equations that they are of. */
export interface Guess {
  readonly approximation: Approximation;
  readonly approximate: Float64Array;
}

/**
 * Bounds of the values of a component: approximate values less or plus their errors, which are
 * proved by one step of value iteration that improves each of them, with directed rounding
 * (Hartmanns & Kaminski: Optimistic value iteration, 2020). If that fails: what value iteration from
 * below reaches, and the largest possible value.
 */
export function boundValues(
  component: Component,
  { least, greatest }: { readonly least: Guess; readonly greatest: Guess },
  values: Values,
  means: Means,
  watch: { tick(weight?: number): void },
): void {
  const { equations, members } = component;
  const isProved = (approximate: Float64Array, errors: Float64Array, sign: number): boolean => {
    const [bounds, round] = sign < 0 ? [values.least, below] : [values.greatest, above];
    for (const [place, state] of members.entries()) {
      const value = at(approximate, place) + sign * factor * at(errors, place);
      bounds[state] = Math.min(Math.max(0, value), equations.most);
    }
    return members.every((state) => {
      const next = Math.min(means.rounded(state, bounds, round), equations.most);
      return sign * (at(bounds, state) - next) >= 0;
    });
  };
  for (const state of members) values.setBounds(state, 0, equations.most);
  let [isLeast, isGreatest] = [false, false];
  for (const tolerance of enough) {
    const errors = least.approximation.errors(least.approximate, tolerance);
    const others =
      greatest === least ? errors : greatest.approximation.errors(greatest.approximate, tolerance);
    isLeast ||= isProved(least.approximate, errors, -1);
    isGreatest ||= isProved(greatest.approximate, others, 1);
    if (isLeast && isGreatest) return;
  }
  if (!isLeast) iterateFromBelow(component, values, means, watch);
  if (!isGreatest) for (const state of members) values.greatest[state] = equations.most;
}

function iterateFromBelow(
  { members }: Component,
  { least }: Values,
  means: Means,
  watch: { tick(weight?: number): void },
): void {
  for (const state of members) least[state] = 0;
  let isBetter = true;
  for (let sweep = 0; sweep < mostSweeps && isBetter; sweep++) {
    watch.tick(members.length);
    isBetter = false;
    for (const state of members) {
      const value = means.rounded(state, least, below);
      if (value <= at(least, state)) continue;
      least[state] = value;
      isBetter = true;
    }
  }
}
