import { readersWriters } from '@conclave/algorithms/interval-reservation';
import { naimiTrehel } from '@conclave/algorithms/naimi-trehel';
import { memoryNetwork } from '@conclave/core/embedding';
import { describe, expect, it, vi } from 'vitest';
import { refusal } from '../election/elections.contract.js';
import { lock } from './lock.js';
import { lock as chosenLock, locks } from './lock-choice.js';
import type { Lock } from './lock-types.js';

const peers = ['a', 'b'];

function pair(): readonly [Lock, Lock] {
  const network = memoryNetwork(peers);
  const [a, b] = peers.map((self) =>
    lock(naimiTrehel(), { self, peers, transport: network.transport(self), reentrant: true }),
  );
  if (!a || !b) throw new Error('unreachable: two were made');
  return [a, b];
}

/** Whether the node gets the lock, which it gives back. */
const isFree = async (one: Lock) => {
  const held = await one.tryAcquire({ waitFor: 50 });
  held?.release();
  return held !== undefined;
};

describe('a reentrant lock', () => {
  it('is entered again within run, by what it calls, however deep, with one token', async () => {
    const [a, b] = pair();
    const tokens: (number | undefined)[] = [];
    await a.run(async ({ fencingToken }) => {
      tokens.push(fencingToken);
      await new Promise((resolve) => setTimeout(resolve, 1));
      await a.run(async (inner) => {
        tokens.push(inner.fencingToken);
        const held = await a.acquire();
        tokens.push(held.fencingToken, (await a.tryAcquire())?.fencingToken);
        expect(held.remaining).toBe(Infinity);
        held.release();
        held.release();
        expect(held.remaining).toBe(0);
        expect(inner.remaining).toBe(Infinity);
      });
      expect(await isFree(b)).toBe(false);
    });
    expect(new Set(tokens).size).toBe(1);
    expect(tokens).toHaveLength(4);
    expect(a.metrics.acquired).toBe(1);
    await Promise.all([a.close(), b.close()]);
  });

  it('is given back when the outermost run and each entry within it have ended', async () => {
    const [a, b] = pair();
    const left = await a.run(() => a.acquire());
    expect(await isFree(b)).toBe(false);
    left.release();
    expect(await isFree(b)).toBe(true);
    await Promise.all([a.close(), b.close()]);
  });

  it('gives it back when an inner run throws, and the outer one, too', async () => {
    const [a, b] = pair();
    const failing = a.run(() => a.run(() => Promise.reject(new Error('inner'))));
    await expect(failing).rejects.toThrow('inner');
    expect(await isFree(b)).toBe(true);
    await Promise.all([a.close(), b.close()]);
  });

  it('lets calls that do not come from run wait', async () => {
    const [a, b] = pair();
    const order: string[] = [];
    let leave = () => {};
    const outer = a.run(async () => {
      order.push('outer');
      await new Promise<void>((resolve) => (leave = resolve));
      order.push('left');
    });
    const other = a.run(() => order.push('other'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    leave();
    await Promise.all([outer, other]);
    expect(order).toEqual(['outer', 'left', 'other']);
    await Promise.all([a.close(), b.close()]);
  });

  it('is outside for work that outlives its run', async () => {
    const [a, b] = pair();
    let late: Promise<boolean> | undefined;
    await a.run(() => {
      late = new Promise<void>((resolve) => setTimeout(resolve, 5)).then(async () => {
        const held = await b.acquire();
        const isIn = await isFree(a); // its run is over: it would have to wait
        held.release();
        return isIn;
      });
    });
    expect(await late).toBe(false);
    await Promise.all([a.close(), b.close()]);
  });

  it('refuses to be entered again where it was lost, or the signal of the wait is aborted', async () => {
    const [a, b] = pair();
    await a.run(() =>
      expect(a.acquire({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' }),
    );
    const outer = a.run(async () => {
      await a.close();
      await expect(a.run(() => 'inside')).rejects.toMatchObject({ code: 'lost' });
    });
    await expect(outer).rejects.toMatchObject({ code: 'lost' });
    await b.close();
  });

  it('is chosen by lock({ tolerate }), too', async () => {
    const network = memoryNetwork(peers);
    const [a] = peers.map((self) =>
      chosenLock({
        ...{ tolerate: 'none', self, peers },
        ...{ transport: network.transport(self), reentrant: true },
      }),
    );
    expect(await a?.run(() => a.run(() => 'inside'))).toBe('inside');
  });

  it('is refused where there is no AsyncLocalStorage', () => {
    const found = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    expect(() => pair()).toThrow(/has no AsyncLocalStorage/);
    found.mockRestore();
    expect(() => pair()).not.toThrow();
  });
});

const ids = ['a', 'b', 'c'] as const;

function three(more: object = {}) {
  const network = memoryNetwork(ids);
  const [a, b, c] = ids.map((self) =>
    lock(readersWriters, { self, peers: ids, transport: network.transport(self), ...more }),
  );
  if (!a || !b || !c) throw new Error('unreachable: three were made');
  return { a, b, c };
}

/** Whether it is still open after all that is under way. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open');
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    return open;
  };
  return (await Promise.race([promise, turns()])) === open;
}

describe('a lock for readers and writers', () => {
  it('lets readers of all nodes in together, and a writer alone', async () => {
    const { a, b, c } = three();
    const readers = await Promise.all([a, b, b].map((each) => each.shared().acquire()));
    const writer = c.acquire();
    expect(await isOpen(writer)).toBe(true);
    for (const { release } of readers.slice(0, 2)) release();
    expect(await isOpen(writer)).toBe(true);
    readers[2]?.release();
    const alone = await writer;
    expect(alone.fencingToken).toBeGreaterThan(
      Math.max(...readers.map(({ fencingToken = 0 }) => fencingToken)),
    );
    const late = a.shared().run(() => 'read');
    expect(await isOpen(late)).toBe(true);
    alone.release();
    expect(await late).toBe('read');
    expect(b.metrics).toMatchObject({ held: 0, acquired: 2, released: 2 });
    for (const each of [a, b, c]) await each.close();
  });

  it('a reader joins those of its node, unless a writer waits on this or another one', async () => {
    const { a, b, c } = three();
    const first = await a.shared().acquire();
    const second = await a.shared().acquire();
    expect(a.metrics).toMatchObject({ held: 2, waiting: 0 });
    const writer = b.acquire();
    expect(await isOpen(writer)).toBe(true);
    const third = a.shared().acquire();
    expect(await isOpen(third)).toBe(true);
    expect(await a.shared().tryAcquire()).toBeUndefined();
    first.release();
    second.release();
    (await writer).release();
    const local = a.acquire();
    const fourth = a.shared().acquire();
    (await third).release();
    expect(await isOpen(fourth)).toBe(true);
    (await local).release();
    (await fourth).release();
    for (const each of [a, b, c]) await each.close();
  });

  it('a call that gives up leaves its place to one of the other kind', async () => {
    const { a, b, c } = three();
    const held = await a.acquire();
    const given = new AbortController();
    const reader = b.shared().acquire({ signal: given.signal });
    const writer = b.acquire();
    given.abort();
    expect(await refusal(reader)).toMatchObject({ code: 'aborted' });
    held.release();
    const alone = await writer;
    expect(await c.shared().tryAcquire({ waitFor: 1 })).toBeUndefined();
    alone.release();
    for (const each of [a, b, c]) await each.close();
  });

  it('within a reentrant run, a shared entry is one more entry', async () => {
    const { a, b, c } = three({ reentrant: true });
    const inner = await a.run(() => a.shared().run(({ fencingToken }) => fencingToken));
    expect(inner).toBeGreaterThan(0);
    expect(a.metrics).toMatchObject({ acquired: 1, released: 1 });
    for (const each of [a, b, c]) await each.close();
  });

  it('works by name, and not by a protocol all of whose entries are exclusive', async () => {
    const network = memoryNetwork(ids);
    const all = ids.map((self) =>
      locks({ protocol: readersWriters, self, peers: ids, transport: network.transport(self) }),
    );
    const held = await Promise.all(all.map((each) => each.open('stock').shared().acquire()));
    expect(held).toHaveLength(3);
    for (const each of all) await each.close();
    const plain = lock(naimiTrehel(), {
      self: 'a',
      peers: ids,
      transport: memoryNetwork(ids).transport('a'),
    });
    expect(() => plain.shared()).toThrow('All entries by Naimi–Trehel are exclusive');
    await plain.close();
  });
});
