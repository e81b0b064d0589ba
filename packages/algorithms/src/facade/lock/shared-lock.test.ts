import { memoryNetwork } from '@conclave/core/embedding';
import { describe, expect, it } from 'vitest';
import { readersWriters } from '../../mutual-exclusion/permission/interval-reservation/protocol.js';
import { naimiTrehel } from '../../mutual-exclusion/token/naimi-trehel/protocol.js';
import { refusal } from '../election/elections.contract.js';
import { lock } from './lock.js';
import { locks } from './lock-choice.js';

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
