import { describe, expect, it, vi } from 'vitest';
import { CompactStore } from './compact-store.js';
import { VectorHash } from './vector-hash.js';

const add = (store: CompactStore, ...numbers: number[]) => {
  const world = Int32Array.from(numbers);
  return store.add(world, 0, store.first.of(world, 0), -1, -1);
};

describe('a store of hashes', () => {
  it('recognises a hundred thousand neighbouring worlds, for each seed', () => {
    for (const seed of [0, 1, 2 ** 53 - 1]) {
      const store = new CompactStore(2, seed);
      for (let id = 0; id < 100_000; id++)
        if (add(store, id % 317, Math.floor(id / 317)) !== id)
          expect.fail(`world ${id} was taken for another`);
      for (let id = 0; id < 100_000; id++)
        if (add(store, id % 317, Math.floor(id / 317)) !== -1)
          expect.fail(`world ${id} was not known again`);
      expect(store.size).toBe(100_000);
    }
  });

  it.each([
    [
      [936, 936],
      [1789, -1_390_472_411],
    ],
    [
      [490, 614],
      [4077, -984_159_100],
    ],
    [
      [805, 3622],
      [3702, 1_781_474_236],
    ],
  ])(
    'keeps %o and %o apart, which collide in one mixing function under two seeds',
    (one, other) => {
      for (let seed = 0; seed < 1000; seed++) {
        const store = new CompactStore(2, seed);
        expect([add(store, ...one), add(store, ...other)]).toEqual([0, 1]);
      }
    },
  );

  it('bounds the omission probability by 2^-64 for each pair of worlds, an omitted one included', () => {
    const store = new CompactStore(1, 0);
    for (let id = 0; id < 1000; id++) add(store, id);
    expect(store.omissionProbability).toBe(((1001 * 1000) / 2) * 2 ** -64);
  });

  it('recognises worlds by either hash, and one whose hashes are both 0', () => {
    const store = new CompactStore(1, 0);
    const added = (first: number, second: number) => {
      const of = vi.spyOn(VectorHash.prototype, 'of').mockReturnValue(second);
      const id = store.add(Int32Array.of(0), 0, first, -1, -1);
      of.mockRestore();
      return id;
    };
    expect([added(0, 0), added(0, 1), added(1, 0)]).toEqual([0, 1, 2]);
    expect([added(0, 0), added(0, 1), added(1, 0)]).toEqual([-1, -1, -1]);
  });
});
