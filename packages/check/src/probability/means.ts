/**
 * The right-hand sides of the equations: for each choice of a state, the mean of cost and value over
 * its branches; for a state, the best of these. Exact means are fractions. As long as numerator and
 * denominator are safe integers they are numbers, since `bigint` is many times slower; only where one
 * overflows, the mean is computed once more with `bigint`.
 *
 * In a state, `findBest` comes first. It leaves the best mean in a field, as an object for each mean
 * would be garbage in the innermost loop; `setValue` and `compareToValue` read it there.
 */
import { at } from './decision-process.js';
import type { Equations } from './equations.js';
import { compare, greatestSmallDivisor, type Rational, rational } from './rational.js';
import { above, below, isTooLong, type Values } from './values.js';

/** An exact mean; `large` if it is no quotient of safe integers. */
interface Fraction {
  numerator: number;
  denominator: number;
  large: Rational | undefined;
}

const mostSafe = Number.MAX_SAFE_INTEGER;

/**
 * The mean of cost and value of the target, over the branches of a choice. Where `self` is given, a
 * branch back to that state counts as a repetition: the mean is that of the runs that leave it.
 */
export class Means {
  /** Of the choice that was computed last, and of the best one that {@link findBest} has found. */
  readonly #mean: Fraction = { numerator: 0, denominator: 1, large: undefined };
  readonly #best: Fraction = { numerator: 0, denominator: 1, large: undefined };
  readonly #sign: number;

  constructor(
    private readonly equations: Equations,
    private readonly values: Values,
  ) {
    this.#sign = equations.extreme === 'greatest' ? 1 : -1;
  }

  /** The choice with the best exact mean; −1 if that is not known. */
  findBest(state: number, self = -1): number {
    const { firstChoice } = this.equations;
    let best = -1;
    for (let choice = at(firstChoice, state); choice < at(firstChoice, state + 1); choice++) {
      if (self !== -1 && this.#onlyRepeats(choice, self)) continue;
      if (!this.#computeExact(choice, self)) return -1;
      if (best !== -1 && this.#sign * comparison(this.#mean, this.#best) <= 0) continue;
      best = choice;
      Object.assign(this.#best, this.#mean);
    }
    return best;
  }

  /** Sets the value of a state to its best mean. */
  setValue(state: number): void {
    const { numerator, denominator, large } = this.#best;
    if (large) this.values.set(state, large);
    else this.values.setSmall(state, numerator, denominator);
  }

  /** Positive if the best mean of a state is better than its value, 0 if it is the same. */
  compareToValue(state: number): number {
    const { values } = this;
    const known: Fraction = values.isSmall(state)
      ? {
          numerator: values.numerator(state),
          denominator: values.denominator(state),
          large: undefined,
        }
      : { numerator: 0, denominator: 1, large: values.exact(state) };
    return this.#sign * comparison(this.#best, known);
  }

  /** Bounds of the value of a state, from those of the states that it leads to. */
  setBounds(state: number, self: number): void {
    const { least, greatest } = this.values;
    this.values.setBounds(
      state,
      this.#extreme(state, self, least, below),
      this.#extreme(state, self, greatest, above),
    );
  }

  /** The best mean of a state for these values, in floating point and rounded by `round`. */
  rounded(state: number, values: Float64Array, round: typeof below): number {
    return this.#extreme(state, -1, values, round);
  }

  #extreme(state: number, self: number, values: Float64Array, round: typeof below): number {
    const { firstChoice } = this.equations;
    let best = this.#sign > 0 ? 0 : Infinity;
    for (let choice = at(firstChoice, state); choice < at(firstChoice, state + 1); choice++) {
      const mean = this.roundedMean(choice, self, values, round);
      best = this.#sign > 0 ? Math.max(best, mean) : Math.min(best, mean);
    }
    return best;
  }

  /** Infinite for a choice that only repeats. */
  roundedMean(choice: number, self: number, values: Float64Array, round: typeof below): number {
    const { firstBranch, targets, weights, costs } = this.equations;
    const [begin, end] = [at(firstBranch, choice), at(firstBranch, choice + 1)];
    let [sum, total] = [0, 0];
    for (let branch = begin; branch < end; branch++) {
      const [target, weight, cost] = [at(targets, branch), at(weights, branch), at(costs, branch)];
      if (target === self) {
        sum += weight * cost;
      } else {
        sum += weight * (cost + at(values, target));
        total += weight;
      }
    }
    return total === 0 ? Infinity : round(sum / total, 2 * (end - begin) + 1);
  }

  #onlyRepeats(choice: number, self: number): boolean {
    const { firstBranch, targets } = this.equations;
    for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++)
      if (targets[branch] !== self) return false;
    return true;
  }

  /** Computes the mean of a choice; false if it is not known exactly. */
  #computeExact(choice: number, self: number): boolean {
    if (this.#computeSmall(choice, self)) return true;
    const large = this.#largeMean(choice, self);
    if (large === undefined || isTooLong(large)) return false;
    const [numerator, denominator] = [Number(large.numerator), Number(large.denominator)];
    const isSmall = numerator <= mostSafe && denominator <= mostSafe;
    Object.assign(this.#mean, isSmall ? { numerator, denominator, large: undefined } : { large });
    return true;
  }

  /**
   * False if a number on the way is no safe integer. It is enough to look at the sums: they get all
   * products times whole numbers, so one that was rounded makes them too large as well.
   */
  #computeSmall(choice: number, self: number): boolean {
    const { equations, values } = this;
    const { firstBranch, targets, weights, costs } = equations;
    let [sum, common, total] = [0, 1, 0];
    for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++) {
      const [target, weight, cost] = [at(targets, branch), at(weights, branch), at(costs, branch)];
      let [numerator, denominator] = [cost, 1];
      if (target !== self) {
        if (!values.isSmall(target)) return false;
        denominator = values.denominator(target);
        numerator = values.numerator(target) + cost * denominator;
        total += weight;
      }
      if (denominator !== common) {
        const factor = denominator / greatestSmallDivisor(common, denominator);
        sum *= factor;
        common *= factor;
        numerator *= common / denominator;
      }
      sum += weight * numerator;
      if (common > mostSafe || sum > mostSafe) return false;
    }
    const denominator = common * total;
    if (total > mostSafe || denominator > mostSafe) return false;
    const divisor = greatestSmallDivisor(sum, denominator);
    this.#mean.numerator = sum / divisor;
    this.#mean.denominator = denominator / divisor;
    this.#mean.large = undefined;
    return true;
  }

  #largeMean(choice: number, self: number): Rational | undefined {
    const { equations, values } = this;
    const { firstBranch, targets, weights, costs } = equations;
    let [sum, common, total] = [0n, 1n, 0n];
    for (let branch = at(firstBranch, choice); branch < at(firstBranch, choice + 1); branch++) {
      const target = at(targets, branch);
      const weight = BigInt(at(weights, branch));
      let [numerator, denominator] = [BigInt(at(costs, branch)), 1n];
      if (target !== self) {
        if (!values.isExact(target)) return undefined;
        const value = values.exact(target);
        denominator = value.denominator;
        numerator = value.numerator + numerator * denominator;
        total += weight;
      }
      if (denominator === common) {
        sum += weight * numerator;
      } else if (common % denominator === 0n) {
        sum += weight * numerator * (common / denominator);
      } else {
        const scale = rational(common, denominator);
        sum = sum * scale.denominator + weight * numerator * scale.numerator;
        common *= scale.denominator;
      }
    }
    return rational(sum, common * total);
  }
}

/** Negative, 0 or positive. */
function comparison(a: Fraction, b: Fraction): number {
  if (a.large || b.large) return compare(rationalOf(a), rationalOf(b));
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator];
  if (left <= mostSafe && right <= mostSafe) return left - right;
  return compare(rationalOf(a), rationalOf(b));
}

const rationalOf = ({ numerator, denominator, large }: Fraction): Rational =>
  large ?? { numerator: BigInt(numerator), denominator: BigInt(denominator) };
