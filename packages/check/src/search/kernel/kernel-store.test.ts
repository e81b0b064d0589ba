import { proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KernelStore } from './kernel-store.js';

const width = 3;
const add = (store: KernelStore, world: Int32Array, parent: number, action: number) => {
  let added = -1;
  store.push(parent, action, world);
  store.lookUp((_, __, id) => {
    added = id;
  });
  return added;
};
/**
 * Few different numbers, so that worlds repeat; some far apart, so that every part of a number
 * matters.
 */
const vector = fc.array(fc.constantFrom(0, 1, 2, 3, 255, 65_536, 2 ** 31 - 1, -1), {
  minLength: width,
  maxLength: width,
});

describe('a store of worlds', () => {
  proof('recognises a world exactly if it was added before, and returns it', () => {
    fc.assert(
      fc.property(fc.array(vector, { maxLength: 200 }), (vectors) => {
        const store = new KernelStore(width);
        const known = new Map<string, number>();
        const read = new Int32Array(width);
        for (const numbers of vectors) {
          const expected = known.get(numbers.join()) ?? known.size;
          known.set(numbers.join(), expected);
          expect(add(store, Int32Array.from(numbers), -1, -1)).toBe(expected);
          expect(store.size).toBe(known.size);
        }
        for (const [text, id] of known) {
          store.read(id, read);
          expect([...read].join()).toBe(text);
        }
      }),
    );
  });

  proof(
    'keeps half a million neighbouring worlds apart, over many pages and tables, and recognises each',
    () => {
      // There are so many that some agree in 32 bits of any hash.
      const count = 500_000;
      const store = new KernelStore(2);
      const world = new Int32Array(2);
      const place = (id: number) => world.set([id % 1009, Math.floor(id / 1009)]);
      for (let id = 0; id < count; id++) {
        place(id);
        if (add(store, world, id - 1, id % 7) !== id)
          expect.fail(`world ${id} was taken for another`);
      }
      const read = new Int32Array(2);
      for (let id = 0; id < count; id++) {
        place(id);
        store.read(id, read);
        const again = add(store, world, 0, 0);
        if (
          again !== id ||
          read[0] !== world[0] ||
          read[1] !== world[1] ||
          store.parent(id) !== id - 1 ||
          store.action(id) !== id % 7
        )
          expect.fail(`world ${id} has changed`);
      }
      expect(store.size).toBe(count);
      expect(store.bytes).toBeGreaterThanOrEqual(count * 4 * 4);
    },
  );

  it('has no room for worlds of which a memory holds no page', () => {
    const full = expect.objectContaining({ limit: 'memory' });
    expect(() => add(new KernelStore(width, 2 ** 10), Int32Array.of(1, 2, 3), -1, -1)).toThrow(
      full,
    );
    const wide = new Int32Array(2 ** 17); // a page of them takes more bytes than 32 bits can say
    expect(() => add(new KernelStore(wide.length), wide, -1, -1)).toThrow(full);
  });

  it('keeps the first path to a world', () => {
    const store = new KernelStore(1);
    add(store, Int32Array.of(5), -1, -1);
    add(store, Int32Array.of(6), 0, 40);
    add(store, Int32Array.of(7), 0, 41);
    add(store, Int32Array.of(8), 1, 42);
    expect(add(store, Int32Array.of(8), 2, 43)).toBe(3);
    expect(add(store, Int32Array.of(5), 3, 44)).toBe(0);
    expect([store.parent(3), store.action(3)]).toEqual([1, 42]);
    expect(store.pathTo(3)).toEqual({ worlds: [0, 1, 3], actions: [40, 42] });
    expect(store.pathTo(0)).toEqual({ worlds: [0], actions: [] });
  });

  it('does not change the given vector, and keeps a copy', () => {
    const store = new KernelStore(2);
    const world = Int32Array.of(1, 2);
    add(store, world, -1, -1);
    world[0] = 9;
    expect(add(store, Int32Array.of(1, 2), 0, 0)).toBe(0);
    expect([...world]).toEqual([9, 2]);
  });

  proof('leads from each world of a random tree back to the root', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 100 }), (dice) => {
        const store = new KernelStore(1);
        add(store, Int32Array.of(0), -1, -1);
        for (const [index, die] of dice.entries())
          add(store, Int32Array.of(index + 1), die % (index + 1), index);
        for (let id = 0; id < store.size; id++) {
          const { worlds, actions } = store.pathTo(id);
          expect(worlds[0]).toBe(0);
          expect(worlds.at(-1)).toBe(id);
          expect(actions).toEqual(worlds.slice(1).map((world) => store.action(world)));
          expect(worlds.slice(0, -1)).toEqual(worlds.slice(1).map((world) => store.parent(world)));
        }
      }),
    );
  });
});
