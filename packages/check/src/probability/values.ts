import { at } from './decision-process.js';
import { type Rational, toNumber } from './rational.js';

/** In place of a denominator: the value is not known exactly, or is no quotient of safe integers. */
const none = 0;
const large = -1;

/** The values of the states of equations: exact where that is known, and bounds. */
export class Values {
  readonly least: Float64Array;
  readonly greatest: Float64Array;
  readonly #numerators: Float64Array;
  readonly #denominators: Float64Array;
  readonly #large = new Map<number, Rational>();

  constructor(states: number) {
    this.least = new Float64Array(states);
    this.greatest = new Float64Array(states);
    this.#numerators = new Float64Array(states);
    this.#denominators = new Float64Array(states);
  }

  isExact(state: number): boolean {
    return this.#denominators[state] !== none;
  }

  /** Whether numerator and denominator are safe integers. */
  isSmall(state: number): boolean {
    return at(this.#denominators, state) > 0;
  }

  /** Of a small value. */
  numerator(state: number): number {
    return at(this.#numerators, state);
  }

  /** Of a small value. */
  denominator(state: number): number {
    return at(this.#denominators, state);
  }

  /** Of an exact value. */
  exact(state: number): Rational {
    return (
      this.#large.get(state) ?? {
        numerator: BigInt(at(this.#numerators, state)),
        denominator: BigInt(at(this.#denominators, state)),
      }
    );
  }

  setSmall(state: number, numerator: number, denominator: number): void {
    if (this.#denominators[state] === large) this.#large.delete(state);
    this.#numerators[state] = numerator;
    this.#denominators[state] = denominator;
    const quotient = numerator / denominator;
    this.least[state] = denominator === 1 ? quotient : below(quotient, 1);
    this.greatest[state] = denominator === 1 ? quotient : above(quotient, 1);
  }

  set(state: number, value: Rational): void {
    const [numerator, denominator] = [Number(value.numerator), Number(value.denominator)];
    if (numerator <= Number.MAX_SAFE_INTEGER && denominator <= Number.MAX_SAFE_INTEGER) {
      this.setSmall(state, numerator, denominator);
      return;
    }
    this.#denominators[state] = large;
    this.#large.set(state, value);
    const quotient = toNumber(value);
    this.least[state] = below(quotient, 2);
    this.greatest[state] = above(quotient, 2);
  }

  /** The exact value is not known. */
  setBounds(state: number, least: number, greatest: number): void {
    if (this.#denominators[state] === large) this.#large.delete(state);
    this.#denominators[state] = none;
    this.least[state] = least;
    this.greatest[state] = greatest;
  }
}

/** Longer numerators and denominators cost more than they tell. */
const tooLong = 1n << 4096n;

/** Whether a value, which is not negative, is kept as bounds only. */
export const isTooLong = ({ numerator, denominator }: Rational): boolean =>
  numerator >= tooLong || denominator >= tooLong;

/**
 * Bounds of what is computed in floating point, from numbers that are not negative, by additions,
 * multiplications and divisions: each of these is off by at most one part in 2⁵³ (Higham: Accuracy
 * and Stability of Numerical Algorithms, 2.2), as long as nothing is too small or too large.
 */
const unit = 2 ** -53;
/** Below it, numbers have fewer digits. */
const tiny = 2 ** -1000;

/** At most the true value of what was computed in so many operations. */
export const below = (value: number, operations: number): number =>
  value < tiny || value === Infinity ? 0 : value * (1 - (operations + 4) * unit);

/** At least the true value of what was computed in so many operations; 0 is exact. */
export const above = (value: number, operations: number): number =>
  value === 0 ? 0 : Math.max(value, tiny) * (1 + (operations + 6) * unit);
