/** A fraction in lowest terms, with a positive denominator. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const zero: Rational = { numerator: 0n, denominator: 1n };
export const one: Rational = { numerator: 1n, denominator: 1n };

/** The fraction in lowest terms; the denominator is not 0. */
export function rational(numerator: bigint, denominator = 1n): Rational {
  const divisor = greatestDivisor(numerator, denominator);
  const sign = denominator < 0n ? -divisor : divisor;
  return { numerator: numerator / sign, denominator: denominator / sign };
}

export const add = (a: Rational, b: Rational): Rational =>
  rational(
    a.numerator * b.denominator + b.numerator * a.denominator,
    a.denominator * b.denominator,
  );

export const subtract = (a: Rational, b: Rational): Rational =>
  rational(
    a.numerator * b.denominator - b.numerator * a.denominator,
    a.denominator * b.denominator,
  );

export const multiply = (a: Rational, b: Rational): Rational =>
  rational(a.numerator * b.numerator, a.denominator * b.denominator);

/** `b` is not 0. */
export const divide = (a: Rational, b: Rational): Rational =>
  rational(a.numerator * b.denominator, a.denominator * b.numerator);

/** Negative, 0 or positive: the sign of a − b. */
export function compare(a: Rational, b: Rational): number {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Such as `1586/315`, or `4`. */
export const toText = ({ numerator, denominator }: Rational): string =>
  denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`;

/** More bits than a number has, so that what is cut off does not matter. */
const bits = 64;

/** The closest number, of large numerators and denominators too. */
export function toNumber({ numerator, denominator }: Rational): number {
  if (numerator < 0n) return -toNumber({ numerator: -numerator, denominator });
  if (numerator === 0n) return 0;
  const shift = bits - bitsOf(numerator) + bitsOf(denominator);
  const [above, below] =
    shift >= 0
      ? [numerator << BigInt(shift), denominator]
      : [numerator, denominator << BigInt(-shift)];
  const quotient = above / below;
  // The last bit says that something was cut off, so that ties round to the right side.
  const marked = above % below === 0n ? quotient : quotient | 1n;
  return scaled(Number(marked), -shift);
}

/** `value` · 2^`exponent`, in steps that neither overflow nor underflow before the last. */
function scaled(value: number, exponent: number): number {
  let [left, result] = [exponent, value];
  while (left < -1000) {
    result *= 2 ** -1000;
    left += 1000;
  }
  while (left > 1000) {
    result *= 2 ** 1000;
    left -= 1000;
  }
  return result * 2 ** left;
}

/** The number of binary digits of a positive number. */
export function bitsOf(value: bigint): number {
  const hex = value.toString(16);
  return 4 * hex.length - Math.clz32(Number.parseInt(hex.charAt(0), 16)) + 28;
}

/** Not negative; that of 0 and 0 is 0. */
export function greatestDivisor(a: bigint, b: bigint): bigint {
  let [large, small] = [a < 0n ? -a : a, b < 0n ? -b : b];
  if (large < small) [large, small] = [small, large];
  while (small > BigInt(Number.MAX_SAFE_INTEGER)) [large, small] = [small, large % small];
  if (small === 0n) return large;
  return BigInt(greatestSmallDivisor(Number(small), Number(large % small)));
}

/** The same of safe integers that are not negative. */
export function greatestSmallDivisor(a: number, b: number): number {
  let [large, small] = [a, b];
  while (small !== 0) [large, small] = [small, large % small];
  return large;
}
