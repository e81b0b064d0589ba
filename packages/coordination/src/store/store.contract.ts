/** The tests of every store, by itself and below a lock. */
import { Observable, tap } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
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

/** The store, with the number of its operations, and of those that listen to it. */
export function counted(store: Store) {
  const counts = { reads: 0, writes: 0, listening: 0, told: 0 };
  const its: Store = {
    read: (name) => {
      counts.reads++;
      return store.read(name);
    },
    write: (name, next, previous) => {
      counts.writes++;
      return store.write(name, next, previous);
    },
    watch: (name) =>
      new Observable((subscriber) => {
        counts.listening++;
        subscriber.add(() => counts.listening--);
        return store
          .watch?.(name)
          .pipe(tap(() => counts.told++))
          .subscribe(subscriber);
      }),
  };
  return { store: its, counts };
}

/**
 * The tests of a store that tells of writes.
 *
 * @param listening how many listen at the server
 */
export function watchContract(
  what: string,
  open: () => Store,
  listening: () => number | Promise<number> = () => 0,
): void {
  const patience = { timeout: 60_000, interval: 20 };

  describe(`what a store tells: ${what}`, () => {
    it('tells of each write by others, of no other name, and first that it listens', async () => {
      const name = `${what} told`;
      const [store, other] = [open(), open()];
      const told: (string | undefined)[] = [];
      const watch = store.watch?.(name).subscribe((text) => told.push(text));
      await vi.waitFor(() => expect(told).toContain(undefined), patience);
      await other.write(`${name} 2`, 'of another', undefined);
      await other.write(name, 'one', undefined);
      await vi.waitFor(() => expect(told.length).toBeGreaterThan(1), patience);
      const texts = told.filter((text) => text !== undefined);
      expect(texts).toEqual(texts.map(() => 'one'));
      watch?.unsubscribe();
      await vi.waitFor(async () => expect(await listening()).toBe(0), patience);
    });

    it('lets a program that waits enter long before it looks, and ends with its last lock', async () => {
      const hours = { name: `${what} waits`, lease: 36_000_000, poll: 36_000_000 };
      const { store, counts } = counted(open());
      const one = lock({ ...hours, store: open(), self: 'one' });
      const others = ['two', 'three'].map((self) => lock({ ...hours, store, self }));
      for (let round = 0; round < 2; round++) {
        const held = await one.acquire();
        const waits = others.map((other) => other.run(() => {}, { waitFor: 60_000 }));
        await vi.waitFor(() => expect(counts.told).toBeGreaterThan(1), patience);
        held.release();
        await Promise.all(waits);
      }
      expect(counts.listening).toBe(2);
      await one.close();
      for (const other of others) await other.close();
      expect(counts.listening).toBe(0);
      await vi.waitFor(async () => expect(await listening()).toBe(0), patience);
    });
  });
}
