import { Random } from '@conclave/core/simulation';
import { describe, expect, it } from 'vitest';
import { extinctionPaths, messagesOn, ordersOf } from './chapters/records.mjs';
import { chiSquare, MinimalStandard, macroExperiment, oneTo, probabilityOf } from './fisherman.mjs';
import {
  addedUp,
  digitsOf,
  harmonic,
  harmonicFraction,
  logarithm,
  sum,
  times,
  toNumber,
  whole,
} from './harmonic.mjs';

/** What the fisherman catches of these fish, in this order. */
const catchOf = ([first, ...others]) => {
  const larger = others.findIndex((fish) => fish > first);
  return larger < 0 ? others.length + 1 : larger + 2;
};

describe('the fisherman', () => {
  it.each([2, 3, 4, 5, 6])('catches m of %i fish as often as the formula says', (n) => {
    const catches = [...ordersOf(oneTo(n))].map(catchOf);
    for (const m of oneTo(n)) {
      const [p, q] = probabilityOf(m, n);
      const seen = catches.filter((one) => one === m).length;
      expect(BigInt(seen) * q).toBe(BigInt(catches.length) * p);
    }
    const mean = catches.reduce((total, one) => total + one, 0) / catches.length;
    expect(mean).toBeCloseTo(1 + toNumber(harmonic(n - 1)), 12);
  });

  it('is simulated as he is described: all of a small pond, and the mean', () => {
    const { counts, mean, means } = macroExperiment(
      { n: 3, singles: 6000, looks: [1000, 6000] },
      new Random(1),
    );
    expect(means.at(-1)).toEqual([6000, mean]);
    expect(means[0][0]).toBe(1000);
    expect(counts.get(2) + counts.get(3)).toBe(6000);
    expect(Math.abs(counts.get(2) - 3000)).toBeLessThan(150);
    expect(mean).toBe((2 * counts.get(2) + 3 * counts.get(3)) / 6000);
  });
});

describe('harmonic numbers', () => {
  it('have the digits of their sums, and of the published constants', () => {
    expect(digitsOf(harmonic(20_000), 30)).toBe(digitsOf(addedUp(20_000n), 30));
    expect(digitsOf(logarithm(10n), 40)).toBe('2.3025850929940456840179914546843642076011…');
    const euler = sum(harmonic(10n ** 40n), times(logarithm(10n), -40, 1));
    expect(digitsOf(euler, 35)).toBe('0.57721566490153286060651209008240243…');
  });

  it('are fractions, and refuse digits that are not proved', () => {
    expect(harmonicFraction(6)).toEqual([49n, 20n]);
    expect(() => digitsOf(harmonic(10n ** 6n), 58)).toThrow('58 digits are not proved');
    expect(digitsOf(whole(7), 3)).toBe('7.000…');
  });
});

describe('the generators', () => {
  it('are those of the literature, by their 10,000th numbers', () => {
    const park = new MinimalStandard(1);
    for (let drawn = 0; drawn < 10_000; drawn++) park.next();
    expect(park.state).toBe(1_043_618_065);
    const twister = new Random(5489);
    for (let drawn = 1; drawn < 10_000; drawn++) twister.below(2 ** 32);
    expect((twister.below(2 ** 32) + 2 ** 31) % 2 ** 32).toBe(4_123_659_995);
  });

  it('are judged by chi-square, whose table says 18.307 for 10 degrees at 5 %', () => {
    const bins = oneTo(11).map((bin) => [bin === 1 ? 1 + Math.sqrt(18.307) : 1, 1]);
    const { value, freedom, chance } = chiSquare(bins);
    expect([value, freedom, chance]).toEqual([
      expect.closeTo(18.307, 9),
      10,
      expect.closeTo(0.05, 5),
    ]);
    expect(() => chiSquare(bins.slice(1))).toThrow('even degrees');
  });
});

describe('the paths of ids in B3', () => {
  it('have the lengths of the formula, and cost 2n − 1 messages where the ids rise', () => {
    const { orders, counts } = extinctionPaths(4);
    expect([orders, counts]).toEqual([24, [48, 16, 8, 24]]);
    expect(messagesOn(['a', 'b', 'c', 'd'])).toBe(7);
    expect(messagesOn(['d', 'c', 'b', 'a'])).toBe(10);
  });
});
