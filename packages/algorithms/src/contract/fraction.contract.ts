/** Fractions as tests compute them by hand, beside what `expected` computes. */
import type { Expectation, Figure } from '@conclave/check';

export type Fraction = readonly [numerator: bigint, denominator: bigint];

const reduced = (numerator: bigint, denominator: bigint): Fraction => {
  let [a, b] = [numerator, denominator];
  while (b !== 0n) [a, b] = [b, a % b];
  return [numerator / a, denominator / a];
};

export const whole = (value: number): Fraction => [BigInt(value), 1n];
export const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => reduced(a * d + c * b, b * d);
export const over = ([a, b]: Fraction, [c, d]: Fraction): Fraction => reduced(a * d, b * c);
export const sum = (fractions: readonly Fraction[]): Fraction => fractions.reduce(plus, whole(0));

/** Of positive fractions: as `expected` writes them. */
export const text = ([a, b]: Fraction): string => (b === 1n ? `${a}` : `${a}/${b}`);

const textOf = (figure: Figure<unknown> | undefined): string | undefined =>
  figure?.kind === 'exact' ? figure.fraction : figure?.kind;

/** The least and the greatest of the figures that were computed. */
export const extremesOf = (
  figures: Expectation['expectation'] | Expectation['within'],
): readonly (string | undefined)[] => [textOf(figures?.least), textOf(figures?.greatest)];
