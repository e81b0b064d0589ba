/**
 * The hash functions of a compact search: what their docstring states, and the random words that
 * they are drawn from.
 */
import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshSeed, wordsFrom } from './chacha.js';
import { VectorHash } from './vector-hash.js';

const slot = fc.oneof(
  fc.nat(100),
  fc.constantFrom(0, 1, 65_535, 65_536, 2 ** 31 - 1, -(2 ** 31), -1),
  fc.integer(),
);
const word = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fc.constant(2 ** 32 - 1),
  fc.constant(0),
);

const drawn = (width: number, seed: number) => {
  const words = wordsFrom(seed);
  return [new VectorHash(width, words), new VectorHash(width, words)] as const;
};

describe('a hash of vectors', () => {
  it('is the high half of b + Σ a·x, modulo 2^64', () => {
    const vectors = fc
      .integer({ min: 1, max: 70 })
      .chain((width) =>
        fc.tuple(
          fc.array(slot, { minLength: width, maxLength: width }),
          fc.array(word, { minLength: 2 * width + 2, maxLength: 2 * width + 2 }),
        ),
      );
    fc.assert(
      fc.property(vectors, fc.nat(3), ([numbers, words], from) => {
        const { length: width } = numbers;
        const [addLow = 0, addHigh = 0] = words;
        const [lows, highs] = [words.slice(2, 2 + width), words.slice(2 + width)];
        const number = (high: number, low: number) => (BigInt(high) << 32n) + BigInt(low);
        const sum = numbers.reduce(
          (before, slot, index) =>
            before + number(highs[index] ?? 0, lows[index] ?? 0) * BigInt(slot >>> 0),
          number(addHigh, addLow),
        );
        // exactly as many as it draws
        const hash = new VectorHash(width, words.values() as Iterator<number, never>);
        const padded = Int32Array.from([...Array<number>(from).fill(7), ...numbers, 7]);
        expect(hash.of(padded, from)).toBe(Number(BigInt.asIntN(32, sum >> 32n)));
      }),
      { numRuns: 500 },
    );
  });

  it('has no collision between vectors that differ in two adjacent slots', () => {
    const [one, other] = [new Int32Array(4), new Int32Array(4)];
    const equal = { first: 0, second: 0, both: 0 };
    for (let seed = 0; seed < 500; seed++) {
      const [first, second] = drawn(4, seed);
      for (let pair = 0; pair < 4000; pair++) {
        one.set([3, pair & 63, pair >> 6, 1]);
        other.set([3, (pair & 63) + 1 + (seed % 13), (pair >> 6) ^ (1 << (pair % 31)), 1]);
        const isFirst = first.of(one, 0) === first.of(other, 0);
        const isSecond = second.of(one, 0) === second.of(other, 0);
        if (isFirst) equal.first++;
        if (isSecond) equal.second++;
        if (isFirst && isSecond) equal.both++;
      }
    }
    // of two million pairs, 0.0005 collisions are expected in each
    expect(equal).toEqual({ first: 0, second: 0, both: 0 });
  });

  it.each([
    ['neighbours', [1, 0], [0, 1]],
    ['one slot', [0, 5], [0, 6]],
    ['the sign', [-1, 0], [2 ** 31 - 1, 0]],
  ])(
    'gives two vectors that differ in %s each pair of values equally often',
    (_name, one, other) => {
      const draws = 16_384;
      /** By the first four bits of each value, and by the last. */
      const counts = [new Int32Array(256), new Int32Array(256)] as const;
      for (let seed = 0; seed < draws; seed++) {
        const [hash] = drawn(2, seed);
        const [a, b] = [hash.of(Int32Array.from(one), 0), hash.of(Int32Array.from(other), 0)];
        const cells = [((a >>> 28) << 4) | (b >>> 28), ((a & 15) << 4) | (b & 15)] as const;
        for (const [index, cell] of cells.entries()) {
          const count = counts[index] as Int32Array;
          count[cell] = (count[cell] as number) + 1;
        }
      }
      for (const count of counts) {
        const expected = draws / 256;
        const chiSquare = count.reduce((sum, found) => sum + (found - expected) ** 2 / expected, 0);
        expect(chiSquare).toBeGreaterThan(150);
        expect(chiSquare).toBeLessThan(377); // 255 degrees of freedom: mean 255, deviation 22.6
      }
    },
  );
});

describe('the words it is drawn from', () => {
  it('are the key stream of ChaCha20', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (seed) => {
        const key = Buffer.alloc(32);
        key.writeBigUInt64LE(BigInt(seed));
        const stream = createCipheriv('chacha20', key, Buffer.alloc(16)).update(
          Buffer.alloc(4 * 40),
        );
        const words = wordsFrom(seed);
        expect(Array.from({ length: 40 }, () => words.next().value)).toEqual(
          Array.from({ length: 40 }, (_, index) => stream.readUInt32LE(4 * index)),
        );
      }),
    );
  });

  it('have a new seed each time', () => {
    const seeds = Array.from({ length: 100 }, freshSeed);
    expect(new Set(seeds).size).toBe(100);
    for (const seed of seeds) expect(Number.isSafeInteger(seed) && seed >= 0).toBe(true);
    expect(Math.max(...seeds)).toBeGreaterThan(2 ** 52 / 2);
  });
});
