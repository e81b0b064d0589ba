/** The tests of every store, by itself and below a lock. */
import { describe, expect, it } from 'vitest';
import { lock } from '../lock/lock-choice.js';
import type { Store } from './store.js';

/** @param open the same store at each call, by a client of its own where it has clients */
export function storeContract(what: string, open: () => Store): void {
  describe(`a store: ${what}`, () => {
    let names = 0;
    const newName = () => `${what} ${++names}`;

    it('replaces a text that is still what it was, and no other', async () => {
      const [store, name] = [open(), newName()];
      expect(await store.read(name)).toBeUndefined();
      expect(await store.write(name, 'one', undefined)).toBe(true);
      expect(await store.write(name, 'two', undefined)).toBe(false);
      expect(await store.write(name, 'two', 'zero')).toBe(false);
      expect(await store.write(name, 'two', 'one')).toBe(true);
      expect(await store.read(name)).toBe('two');
    });

    it('lets one of several writers win', async () => {
      const name = newName();
      for (let round = 0; round < 10; round++) {
        const previous = await open().read(name);
        const won = await Promise.all(
          ['a', 'b', 'c', 'd'].map((who) => open().write(name, `${round} ${who}`, previous)),
        );
        expect(won.filter(Boolean)).toHaveLength(1);
      }
    });

    it('loses no update of four programs under the lock, and no token comes twice', async () => {
      const name = newName();
      const tokens: number[] = [];
      let counter = 0;
      await Promise.all(
        ['a', 'b', 'c', 'd'].map(async (self) => {
          await using mine = lock({ store: open(), name, self, lease: 2_000, poll: 5 });
          for (let entry = 0; entry < 5; entry++)
            await mine.run(async ({ fencingToken }) => {
              tokens.push(fencingToken);
              const read = counter;
              await new Promise((resolve) => setTimeout(resolve, 1));
              counter = read + 1;
            });
        }),
      );
      expect(counter).toBe(20);
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
      expect(tokens).toHaveLength(20);
    });
  });
}
