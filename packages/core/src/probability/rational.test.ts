import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  add,
  bitsOf,
  compare,
  divide,
  multiply,
  rational,
  subtract,
  toNumber,
  toText,
} from './rational.js';
import { simplestBetween } from './solve.js';

const fraction = fc
  .tuple(fc.bigInt(-(2n ** 200n), 2n ** 200n), fc.bigInt(1n, 2n ** 200n))
  .map(([numerator, denominator]) => rational(numerator, denominator));

it('calculates in lowest terms', () => {
  expect(toText(rational(6n, -4n))).toBe('-3/2');
  expect(toText(add(rational(1n, 6n), rational(1n, 3n)))).toBe('1/2');
  expect(toText(subtract(rational(1n, 6n), rational(1n, 6n)))).toBe('0');
  expect(toText(multiply(rational(2n, 3n), rational(9n, 2n)))).toBe('3');
  expect(toText(divide(rational(2n, 3n), rational(-4n, 3n)))).toBe('-1/2');
  assertRuns(
    fc.property(fraction, fraction, (a, b) => {
      expect(subtract(add(a, b), b)).toEqual(a);
      expect(compare(a, b)).toBe(Math.sign(compare(subtract(a, b), rational(0n))));
    }),
    50,
    2000,
    33,
  );
});

it('the number of bits', () => {
  for (const value of [1n, 2n, 7n, 8n, 255n, 256n, 2n ** 100n - 1n, 2n ** 100n])
    expect(bitsOf(value)).toBe(value.toString(2).length);
});

it('the closest number, of any size', () => {
  expect(toNumber(rational(10n ** 300n, 3n))).toBe(1e300 / 3);
  expect(toNumber(rational(-1n, 3n * 10n ** 290n))).toBe(-1e-290 / 3);
  expect(toNumber(rational(2n ** 1100n))).toBe(Infinity);
  expect(toNumber(rational(1n, 2n ** 1074n))).toBe(Number.MIN_VALUE);
  expect(toNumber(rational(1n, 2n ** 3000n))).toBe(0);
  assertRuns(
    fc.property(fc.integer(), fc.integer({ min: 1 }), (numerator, denominator) => {
      const long = 3n ** 700n;
      expect(toNumber(rational(BigInt(numerator), BigInt(denominator))) + 0).toBe(
        numerator / denominator + 0,
      );
      expect(
        toNumber({ numerator: BigInt(numerator) * long, denominator: BigInt(denominator) * long }) +
          0,
      ).toBe(numerator / denominator + 0);
    }),
    100,
    5000,
    34,
  );
});

it('the simplest fraction between two numbers: no smaller denominator has one', () => {
  assertRuns(
    fc.property(
      fc.double({ min: 0, max: 20, noNaN: true }),
      fc.double({ min: 1e-4, max: 1, noNaN: true }),
      (low, width) => {
        const high = low + width;
        const [numerator, denominator] = simplestBetween(low, high) ?? [0, 0];
        let least = 1;
        while (Math.ceil(low * least) > high * least) least++;
        expect(denominator).toBe(least);
        expect(numerator).toBe(Math.ceil(low * least));
      },
    ),
    50,
    2000,
    35,
  );
  expect(simplestBetween(1 / 3, 1 / 3 + 1e-300)?.[1]).toBeGreaterThan(2);
  expect(simplestBetween(Number.NaN, 1)).toBeUndefined();
});
