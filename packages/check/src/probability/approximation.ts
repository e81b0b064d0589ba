import { at } from './decision-process.js';
import type { Component } from './equations.js';
import type { Means } from './means.js';
import { above, below, type Values } from './values.js';

/** More branches are not followed at once to approximate a component: some seconds. */
const mostWork = 2 ** 29;
/** The same at first for small components, which have other ways to their values. */
const mostSmallWork = 2 ** 22;
/** And then. */
const mostMoreSmallWork = 2 ** 24;
const small = 2000;
/** Values that change by no more, as a share, change no more. */
const exact = 2 ** -51;
/** After so many rounds, forwards and backwards. */
const extrapolateEvery = 12;

/** The equations of a component in floating point, by the places of its members. */
export class Approximation {
  readonly #firstChoice: Int32Array;
  readonly #firstBranch: Int32Array;
  readonly #targets: Int32Array;
  readonly #shares: Float64Array;
  /** By choice: the mean of costs, and of values outside. */
  readonly #constants: Float64Array;
  /** By choice: that of the equations. */
  readonly #originals: Int32Array;
  readonly #sign: number;
  readonly #size: number;

  /** @param outside By state of the equations: the values of other components */
  constructor(
    private readonly component: Component,
    outside: Float64Array,
    private readonly watch: { tick(weight?: number): void },
  ) {
    const { equations, members } = component;
    this.#sign = equations.extreme === 'greatest' ? 1 : -1;
    this.#size = members.length;
    const { choices, branches } = component.count();
    this.#firstChoice = new Int32Array(this.#size + 1);
    this.#firstBranch = new Int32Array(choices + 1);
    this.#targets = new Int32Array(branches);
    this.#shares = new Float64Array(branches);
    this.#constants = new Float64Array(choices);
    this.#originals = new Int32Array(choices);
    this.#fill(outside);
  }

  /** Approximate values, by value iteration from 0. */
  values(): Float64Array {
    const values = new Float64Array(this.#size);
    const work = this.#size <= small ? mostSmallWork : mostWork;
    return this.#iterate(values, this.#constants, this.#sign, exact, work);
  }

  /** Goes on with values that may not be close enough yet. */
  improve(values: Float64Array): Float64Array {
    return this.#iterate(values, this.#constants, this.#sign, exact, this.#mostMore());
  }

  /** By place: the choice of the equations that is best for these values. */
  policy(values: Float64Array): Int32Array {
    return Int32Array.from(values, (_, place) => {
      let [best, most] = [-1, -Infinity];
      for (
        let choice = at(this.#firstChoice, place);
        choice < at(this.#firstChoice, place + 1);
        choice++
      ) {
        const mean = this.#sign * this.#mean(choice, values);
        if (mean > most) [best, most] = [choice, mean];
      }
      return at(this.#originals, best);
    });
  }

  /**
   * By place: how far values may be from the solution, if each equation is off by as much as it is
   * here, and by what is rounded. Not proved. Choices that are about as good as the best count.
   */
  errors(values: Float64Array, enough: number): Float64Array {
    const near = 2 ** -30;
    const errors = new Float64Array(this.#constants.length).fill(-Infinity);
    for (let place = 0; place < this.#size; place++) {
      const [begin, end] = [at(this.#firstChoice, place), at(this.#firstChoice, place + 1)];
      const value = at(values, place);
      let best = -Infinity;
      for (let choice = begin; choice < end; choice++)
        best = Math.max(best, this.#sign * this.#mean(choice, values));
      const branches = at(this.#firstBranch, end) - at(this.#firstBranch, begin);
      const error = Math.abs(value - this.#sign * best) + (branches + 16) * 2 ** -51 * value;
      for (let choice = begin; choice < end; choice++)
        if (this.#sign * this.#mean(choice, values) >= best - near * value) errors[choice] = error;
    }
    return this.#iterate(new Float64Array(this.#size), errors, 1, enough, this.#mostMore());
  }

  #mostMore(): number {
    return this.#size <= small ? mostMoreSmallWork : mostWork;
  }

  #fill(outside: Float64Array): void {
    const { equations, members } = this.component;
    let [choices, branches] = [0, 0];
    for (let place = 0; place < this.#size; place++) {
      const state = at(members, place);
      for (
        let original = at(equations.firstChoice, state);
        original < at(equations.firstChoice, state + 1);
        original++
      ) {
        const end = this.#fillChoice(original, state, outside, choices, branches);
        if (end === -1) continue;
        this.#originals[choices++] = original;
        this.#firstBranch[choices] = branches = end;
      }
      this.#firstChoice[place + 1] = choices;
    }
  }

  /** Where its branches end; −1 for a choice that only repeats. */
  #fillChoice(
    original: number,
    state: number,
    outside: Float64Array,
    choice: number,
    begin: number,
  ): number {
    const { equations, places } = this.component;
    const { firstBranch, targets, weights, costs } = equations;
    let [end, sum, total] = [begin, 0, 0];
    for (let branch = at(firstBranch, original); branch < at(firstBranch, original + 1); branch++) {
      const [target, weight] = [at(targets, branch), at(weights, branch)];
      sum += weight * at(costs, branch);
      if (target === state) continue;
      total += weight;
      const place = at(places, target);
      if (place === -1) {
        sum += weight * at(outside, target);
        continue;
      }
      this.#targets[end] = place;
      this.#shares[end++] = weight;
    }
    if (total === 0) return -1;
    for (let place = begin; place < end; place++)
      this.#shares[place] = at(this.#shares, place) / total;
    this.#constants[choice] = sum / total;
    return end;
  }

  /**
   * Value iteration, each value from the newest others (Gauss–Seidel), forwards and
   * backwards, until it changes no more or the work gets too much. Now and then it goes on as far as
   * a geometric series of the last changes would (Aitken 1926).
   */
  #iterate(
    values: Float64Array,
    constants: Float64Array,
    sign: number,
    enough: number,
    work: number,
  ): Float64Array {
    const before = new Float64Array(this.#size);
    const rounds = Math.ceil(work / 2 / (this.#targets.length + this.#size));
    let [sum, ratio] = [0, 0];
    for (let round = 1; round <= rounds; round++) {
      this.watch.tick(2 * this.#size);
      const isLast = round % extrapolateEvery === 0;
      const isCompared = isLast || round % extrapolateEvery === extrapolateEvery - 1;
      if (isCompared) before.set(values);
      const change = Math.max(
        this.#sweep(values, constants, sign, true),
        this.#sweep(values, constants, sign, false),
      );
      if (change <= enough) break;
      if (!isCompared) continue;
      const sumBefore = sum;
      sum = values.reduce((total, value, place) => total + value - at(before, place), 0);
      if (!isLast) continue;
      const ratioBefore = ratio;
      ratio = sum / sumBefore;
      const isSteady = Math.abs(ratio - ratioBefore) < (1 - ratio) / 4;
      if (isSteady && ratio > 0 && change < 1)
        for (let place = 0; place < this.#size; place++)
          values[place] =
            at(values, place) + ((at(values, place) - at(before, place)) * ratio) / (1 - ratio);
    }
    return values;
  }

  /** Improves all values once; the largest change, as a share of the value. */
  #sweep(values: Float64Array, constants: Float64Array, sign: number, isForward: boolean): number {
    const size = this.#size;
    const [firstChoice, firstBranch] = [this.#firstChoice, this.#firstBranch];
    const [targets, shares] = [this.#targets, this.#shares];
    let change = 0;
    for (let index = 0; index < size; index++) {
      const place = isForward ? index : size - 1 - index;
      let best = -Infinity;
      const last = firstChoice[place + 1] as number;
      for (let choice = firstChoice[place] as number; choice < last; choice++) {
        let mean = constants[choice] as number;
        const end = firstBranch[choice + 1] as number;
        for (let branch = firstBranch[choice] as number; branch < end; branch++)
          mean += (shares[branch] as number) * (values[targets[branch] as number] as number);
        if (sign * mean > best) best = sign * mean;
      }
      best *= sign;
      const difference = Math.abs(best - (values[place] as number));
      if (difference > change * best) change = difference / best;
      values[place] = best;
    }
    return change;
  }

  #mean(choice: number, values: Float64Array): number {
    let mean = at(this.#constants, choice);
    for (
      let branch = at(this.#firstBranch, choice);
      branch < at(this.#firstBranch, choice + 1);
      branch++
    )
      mean += at(this.#shares, branch) * at(values, at(this.#targets, branch));
    return mean;
  }
}

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
