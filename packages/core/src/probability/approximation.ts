import type { Component } from './component.js';
import { at } from './scope.js';

/** More branches are not followed to approximate a component: some seconds. */
const mostWork = 2 ** 31;
/** The same for small components, which have other ways to their values. */
const mostSmallWork = 2 ** 27;
const small = 2000;

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

  /**
   * Value iteration from below, each value from the newest others (Gauss–Seidel), forwards and
   * backwards, until it changes no more or the work gets too much.
   */
  iterate(): Float64Array {
    const values = new Float64Array(this.#size);
    const work = this.#size <= small ? mostSmallWork : mostWork;
    const sweeps = Math.ceil(work / (this.#targets.length + this.#size));
    const isEnough = 2 ** -52;
    for (let sweep = 0; sweep < sweeps; sweep++) {
      this.watch.tick(this.#size);
      if (this.#sweep(values, sweep % 2 === 0) <= isEnough) break;
    }
    return values;
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
   * here, and by what is rounded. Not proved.
   */
  errors(values: Float64Array): Float64Array {
    const errors = new Float64Array(this.#size);
    const own = values.map((value, place) => this.#error(value, place, values));
    const sweeps = Math.ceil(mostSmallWork / (this.#targets.length + this.#size));
    for (let sweep = 0; sweep < sweeps; sweep++) {
      this.watch.tick(this.#size);
      let change = 0;
      for (let index = 0; index < this.#size; index++) {
        const place = sweep % 2 === 0 ? index : this.#size - 1 - index;
        const error = at(own, place) + this.#shareOf(errors, place, values);
        change = Math.max(change, (error - at(errors, place)) / error || 0);
        errors[place] = error;
      }
      if (change < 2 ** -10) break;
    }
    return errors;
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

  /** Improves all values once; the largest change, as a share of the value. */
  #sweep(values: Float64Array, isForward: boolean): number {
    const [size, sign] = [this.#size, this.#sign];
    const [firstChoice, firstBranch] = [this.#firstChoice, this.#firstBranch];
    const [targets, shares, constants] = [this.#targets, this.#shares, this.#constants];
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

  #mean(choice: number, values: Float64Array, constant = at(this.#constants, choice)): number {
    let mean = constant;
    for (
      let branch = at(this.#firstBranch, choice);
      branch < at(this.#firstBranch, choice + 1);
      branch++
    )
      mean += at(this.#shares, branch) * at(values, at(this.#targets, branch));
    return mean;
  }

  #error(value: number, place: number, values: Float64Array): number {
    let best = -Infinity;
    for (
      let choice = at(this.#firstChoice, place);
      choice < at(this.#firstChoice, place + 1);
      choice++
    )
      best = Math.max(best, this.#sign * this.#mean(choice, values));
    const branches =
      at(this.#firstBranch, at(this.#firstChoice, place + 1)) -
      at(this.#firstBranch, at(this.#firstChoice, place));
    return Math.abs(value - this.#sign * best) + (branches + 16) * 2 ** -51 * value;
  }

  /** The largest mean of errors, of the choices that are about as good as the best. */
  #shareOf(errors: Float64Array, place: number, values: Float64Array): number {
    const near = 2 ** -30;
    const value = at(values, place);
    let most = 0;
    for (
      let choice = at(this.#firstChoice, place);
      choice < at(this.#firstChoice, place + 1);
      choice++
    ) {
      if (this.#sign * (this.#mean(choice, values) - value) < -near * value) continue;
      most = Math.max(most, this.#mean(choice, errors, 0));
    }
    return most;
  }
}
