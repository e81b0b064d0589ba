import { proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from './random.js';
import { optionAt } from './weighted.js';

const draws = (random: Random, count: number) => Array.from({ length: count }, () => random.unit());

/** The deviation of counts from a uniform distribution, in standard deviations of χ². */
function unevenness(values: readonly number[], bins: number): number {
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  const expected = values.length / bins;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (chiSquare - (bins - 1)) / Math.sqrt(2 * (bins - 1));
}

describe('Random', () => {
  it('gives the same numbers for the same seed, on every platform', () => {
    expect(draws(new Random(7), 100)).toEqual(draws(new Random(7), 100));
    expect(draws(new Random(1), 3)).toEqual([
      0.6894079135345498, 0.10076732697837887, 0.007320390641425978,
    ]);
    expect(new Random(3).below(1000)).toBe(338);
    expect([new Random(1).exponential(10), new Random(1).normal(10, 2)]).toEqual([
      11.692748468102511, 12.46565292712798,
    ]);
    expect(new Random(3).shuffled([...'abcdef'])).toEqual([...'fadebc']);
    expect(new Random(5).fork('faults').seed).toBe(-1187375576);
    expect(draws(new Random(-1), 3)).not.toEqual(draws(new Random(1), 3));
  });

  it('is uniform for one seed, and for the first and second draws of neighbouring seeds', () => {
    const bin = (value: number) => Math.floor(value * 20);
    expect(Math.abs(unevenness(draws(new Random(3), 20_000).map(bin), 20))).toBeLessThan(4);
    const seeds = Array.from({ length: 20_000 }, (_, seed) => new Random(seed));
    expect(
      Math.abs(
        unevenness(
          seeds.map((random) => bin(random.unit())),
          20,
        ),
      ),
    ).toBeLessThan(4);
    expect(
      Math.abs(
        unevenness(
          seeds.map((random) => bin(random.unit())),
          20,
        ),
      ),
    ).toBeLessThan(4);
  });

  proof('has no correlation between neighbouring seeds', () => {
    const firsts = Array.from({ length: 20_000 }, (_, seed) => new Random(seed).unit());
    const pairs = firsts
      .slice(1)
      .map((value, index) => 10 * Math.floor(value * 10) + Math.floor((firsts[index] ?? 0) * 10));
    expect(Math.abs(unevenness(pairs, 100))).toBeLessThan(4);
    const forks = Array.from({ length: 20_000 }, (_, seed) =>
      new Random(seed).fork('channels').unit(),
    );
    const forkPairs = forks
      .slice(1)
      .map((value, index) => 10 * Math.floor(value * 10) + Math.floor((forks[index] ?? 0) * 10));
    expect(Math.abs(unevenness(forkPairs, 100))).toBeLessThan(4);
    const both = forks.map(
      (value, seed) => 10 * Math.floor(value * 10) + Math.floor((firsts[seed] ?? 0) * 10),
    );
    expect(Math.abs(unevenness(both, 100))).toBeLessThan(4);
  });

  it('forks by purpose: equal purposes give equal streams, and the parent draws nothing', () => {
    const parent = new Random(5);
    const fork = parent.fork('faults');
    expect(draws(fork, 5)).toEqual(draws(new Random(5).fork('faults'), 5));
    expect(draws(parent, 5)).toEqual(draws(new Random(5), 5));
    expect(draws(parent.fork('faults'), 5)).toEqual(draws(new Random(5).fork('faults'), 5));
    const seeds = ['channels', 'choices', 'faults', 'workload', 'slennahc', ''].map(
      (purpose) => new Random(5).fork(purpose).seed,
    );
    expect(new Set(seeds).size).toBe(seeds.length);
    expect(new Random(6).fork('faults').seed).not.toBe(fork.seed);
  });

  it('draws whole numbers below a bound, all equally likely', () => {
    const random = new Random(9);
    const values = Array.from({ length: 7000 }, () => random.below(7));
    expect([Math.min(...values), Math.max(...values)]).toEqual([0, 6]);
    expect(Math.abs(unevenness(values, 7))).toBeLessThan(4);
    expect(random.below(1)).toBe(0);
  });

  it('draws each option as often as its weight says, and with equal weights as it picks', () => {
    const random = new Random(3);
    const counts = { a: 0, b: 0, c: 0 };
    for (let draw = 0; draw < 10_000; draw++)
      counts[random.draw(['a', 'b', 'c'] as const, [1, 2, 7])]++;
    for (const [option, share] of [
      ['a', 1000],
      ['b', 2000],
      ['c', 7000],
    ] as const)
      expect(Math.abs(counts[option] - share)).toBeLessThan(150);
    const [one, other] = [new Random(5), new Random(5)];
    for (let draw = 0; draw < 20; draw++)
      expect(one.draw([1, 2, 3], [4, 4, 4])).toBe(other.pick([1, 2, 3]));
  });

  it('places an option by its weight', () => {
    const at = (place: number) => optionAt(place, ['a', 'b', 'c'], [1, 2, 1]);
    expect([0, 0.99, 1, 2.99, 3, 3.99, 4].map(at).join('')).toBe('aabbccc');
  });

  it('picks each option', () => {
    const random = new Random(2);
    expect(new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c'])))).toEqual(
      new Set(['a', 'b', 'c']),
    );
  });

  it('draws nothing for probabilities 0 and 1', () => {
    const random = new Random(4);
    expect([random.chance(0), random.chance(1), random.chance(-1), random.chance(2)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect(random.unit()).toBe(new Random(4).unit());
    const hits = Array.from({ length: 20_000 }, () => random.chance(0.3)).filter(Boolean).length;
    expect(Math.abs(hits - 6000)).toBeLessThan(4 * Math.sqrt(20_000 * 0.3 * 0.7));
  });

  it('shuffles: the same items, every order equally likely, the original unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9)), fc.integer(), (items, seed) => {
        const before = [...items];
        expect(new Random(seed).shuffled(items).sort()).toEqual([...items].sort());
        expect(items).toEqual(before);
      }),
    );
    const random = new Random(8);
    const orders = new Map<string, number>();
    for (let run = 0; run < 24_000; run++) {
      const order = random.shuffled('abcd'.split('')).join('');
      orders.set(order, (orders.get(order) ?? 0) + 1);
    }
    const ranks = [...orders.values()].flatMap((count, rank) =>
      new Array<number>(count).fill(rank),
    );
    expect(orders.size).toBe(24);
    expect(Math.abs(unevenness(ranks, 24))).toBeLessThan(4);
  });
});
