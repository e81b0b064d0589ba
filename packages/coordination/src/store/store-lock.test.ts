/** A lock by a row: one contract for each store, and what goes wrong with stores. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { proof } from '@conclave/tools/sample';
import { concat, delay, EMPTY, NEVER, type Observable, of, Subject, throwError } from 'rxjs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { lock } from '../lock/lock-choice.js';
import { fileStore } from '../store/file-store.js';
import { counted, storeContract, watchContract } from './store.contract.js';
import { memoryStore, type Store } from './store.js';

const folder = mkdtempSync(join(tmpdir(), 'conclave-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

const memory = memoryStore();
storeContract('memory', () => memory);
storeContract('a folder', () => fileStore(folder));
watchContract('memory', () => memory);
watchContract('a folder', () => fileStore(folder));

describe('a lock by a row', () => {
  it('goes on when its holder has ended without a release', async () => {
    const store = memoryStore();
    const left = { version: 7, epoch: 6, holder: 'gone~1', round: 3, lease: 200 };
    await store.write('shop', JSON.stringify(left), undefined);
    await using mine = lock({ store, name: 'shop', lease: 200 });
    const before = performance.now();
    const held = await mine.acquire();
    expect(performance.now() - before).toBeGreaterThan(190);
    expect(held.fencingToken).toBe(8);
    held.release();
  });

  it('is lost where its row is another one’s', async () => {
    const store = memoryStore();
    await using one = lock({ store, name: 'shop', lease: 200 });
    const held = await one.acquire();
    const text = await store.read('shop');
    const row = JSON.parse(text ?? '');
    const other = { ...row, version: row.version + 1, epoch: row.version + 1, holder: 'other' };
    await store.write('shop', JSON.stringify(other), text);
    expect((await held.lost).reason).toBe('taken');
  });

  it('refuses another lease than the row has, and a row that is none', async () => {
    const store = memoryStore();
    await using one = lock({ store, name: 'shop', lease: 200 });
    (await one.acquire()).release();
    await one.close();
    const told: string[] = [];
    const onError = ({ code, message }: { code: string; message: string }) =>
      told.push(`${code} ${message}`);
    await using two = lock({ store, name: 'shop', lease: 400, onError });
    expect(await two.tryAcquire({ waitFor: 100 })).toBeUndefined();
    expect(told).toEqual([
      expect.stringContaining(
        "refused The lock 'shop' has leases of 200 ms in the store, and of 400",
      ),
    ]);
    store.write('strange', '{"a":1}', undefined);
    await using three = lock({ store, name: 'strange', onError });
    expect(await three.tryAcquire({ waitFor: 100 })).toBeUndefined();
    expect(told[1]).toContain(`What the store has as 'strange' is no lease: {"a":1}`);
  });

  it('says once that the store fails, and goes on when it does not', async () => {
    const rows = memoryStore();
    let fails = true;
    const store: Store = {
      read: async (name) => {
        if (fails) throw new Error('connection refused');
        return rows.read(name);
      },
      write: (name, next, previous) => rows.write(name, next, previous),
    };
    const told: string[] = [];
    await using one = lock({
      store,
      name: 'shop',
      lease: 200,
      onError: ({ code }) => told.push(code),
    });
    const waits = one.acquire();
    await new Promise((resolve) => setTimeout(resolve, 150));
    fails = false;
    (await waits).release();
    expect(told).toEqual(['unavailable']);
  });

  it('is closed after a lease where the store does not answer', async () => {
    const rows = memoryStore();
    let answers = true;
    const store: Store = {
      read: (name) => rows.read(name),
      write: (...row) => (answers ? rows.write(...row) : new Promise(() => {})),
    };
    const one = lock({ store, name: 'shop', lease: 200 });
    const held = await one.acquire();
    answers = false;
    held.release();
    await one.close();
    await using two = lock({ store: rows, name: 'shop', lease: 200 });
    expect((await two.acquire()).fencingToken).toBe(held.fencingToken + 1);
  });

  it('does not look any more after a wait that was given up', async () => {
    const rows = memoryStore();
    const held = { version: 7, epoch: 6, holder: 'other~1', round: 3, lease: 2_000 };
    await rows.write('shop', JSON.stringify(held), undefined);
    let reads = 0;
    const store: Store = {
      read: (name) => {
        reads++;
        return rows.read(name);
      },
      write: (name, next, previous) => rows.write(name, next, previous),
    };
    await using mine = lock({ store, name: 'shop', lease: 2_000, poll: 10 });
    expect(await mine.tryAcquire({ waitFor: 100 })).toBeUndefined();
    const before = reads;
    await new Promise((resolve) => setTimeout(resolve, 900)); // two renewals are 800 ms
    const after = reads;
    expect(after).toBeGreaterThan(before);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(reads).toBe(after);
  });

  it('writes once to enter and once to leave where nobody else wants it, and listens to nothing', async () => {
    const { store, counts } = counted(memoryStore());
    await using mine = lock({ store, name: 'shop' });
    (await mine.acquire()).release();
    expect(counts.reads).toBe(1);
    for (let entry = 0; entry < 4; entry++) await mine.run(() => {});
    await mine.close();
    expect(counts).toEqual({ reads: 1, writes: 10, listening: 0, told: 0 });
  });

  it('writes once to enter when it is told that the row is free', async () => {
    const rows = memoryStore();
    const { store, counts } = counted(rows);
    await using one = lock({ store: rows, name: 'shop' });
    await using two = lock({ store, name: 'shop' });
    const held = await one.acquire();
    const waits = two.acquire();
    await vi.waitFor(() => expect(counts.told).toBe(1));
    await new Promise((resolve) => setTimeout(resolve));
    const before = { ...counts };
    held.release();
    await waits;
    expect([counts.reads - before.reads, counts.writes - before.writes]).toEqual([0, 1]);
  });

  proof('has only some of many programs that wait write when they are told', async () => {
    const rows = memoryStore();
    const { store, counts } = counted({
      ...rows,
      write: async (...words) => {
        await turn();
        return rows.write(...words);
      },
      watch: (name) => rows.watch?.(name).pipe(delay(1)) ?? NEVER,
    });
    const all = Array.from({ length: 40 }, () => lock({ store, name: 'shop' }));
    await Promise.all(
      all.map(async (each) => {
        for (let entry = 0; entry < 4; entry++) await each.run(() => turn());
      }),
    );
    for (const each of all) await each.close();
    const lost = counts.writes - 2 * 4 * all.length;
    expect(lost / (4 * all.length)).toBeLessThan(12); // if all wrote, it would be 19
  });

  const silent: readonly [string, () => Observable<string | undefined>][] = [
    ['says nothing any more', () => concat(of(undefined), NEVER)],
    ['has never begun', () => NEVER],
    ['cannot', () => EMPTY],
    ['fails', () => throwError(() => new Error('no more connections'))],
  ];
  it.each(silent)('looks now and then where what tells it %s', async (_, watch) => {
    const rows = memoryStore();
    await using one = lock({ store: rows, name: 'shop' });
    await using two = lock({ store: { ...rows, watch }, name: 'shop', poll: 10 });
    const held = await one.acquire();
    const waits = two.acquire({ waitFor: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 30));
    held.release();
    (await waits).release();
  });

  it('believes nothing that it is only told', async () => {
    const rows = memoryStore();
    const told = new Subject<string | undefined>();
    const store: Store = { ...rows, watch: () => concat(of(undefined), told) };
    await using one = lock({ store: rows, name: 'shop', lease: 2_000 });
    await using two = lock({ store, name: 'shop', lease: 2_000, poll: 10 });
    const held = await one.acquire();
    const waits = two.acquire({ waitFor: 60_000 });
    await vi.waitFor(() => expect(told.observed).toBe(true));
    const row = JSON.parse((await rows.read('shop')) ?? '');
    const lies = [
      { ...row, version: 99, holder: '' },
      { ...row, version: 100, epoch: 100, holder: two.id, round: 1 },
      { ...row, version: 101, lease: 1, holder: '' },
    ];
    for (const text of [...lies.map((lie) => JSON.stringify(lie)), '{}', 'no row', undefined]) {
      told.next(text);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    const { epoch, holder } = JSON.parse((await rows.read('shop')) ?? '');
    expect({ epoch, holder }).toEqual({ epoch: held.fencingToken, holder: one.id });
    expect([two.metrics.held, held.signal.aborted]).toEqual([0, false]);
    held.release();
    const { fencingToken } = await waits;
    expect(fencingToken).toBeGreaterThan(held.fencingToken);
    expect(fencingToken).toBeLessThan(99);
  });

  it('listens no longer when it has not waited for a lease', async () => {
    const rows = memoryStore();
    const { store, counts } = counted(rows);
    await using one = lock({ store: rows, name: 'shop', lease: 200 });
    await using two = lock({ store, name: 'shop', lease: 200 });
    const held = await one.acquire();
    const waits = two.acquire();
    await vi.waitFor(() => expect(counts.listening).toBe(1));
    held.release();
    (await waits).release();
    await vi.waitFor(() => expect(counts.listening).toBe(0), { timeout: 60_000 });
  });

  it('takes no misspelt option', () => {
    const options = { store: memoryStore(), name: 'shop', leas: 200 };
    expect(() => lock(options)).toThrow("there is no option 'leas'");
  });
});
