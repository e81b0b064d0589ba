import { setImmediate as turn } from 'node:timers/promises';
import { memoryNetwork } from '@conclave/core/embedding';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { multipleEntries } from '../../k-exclusion/multiple-entries/protocol.js';
import { lock } from './lock.js';
import { type SemaphoreOptions, semaphore } from './semaphore.js';

/** The nodes a, b, … of a semaphore. */
function semaphores(n: number, entries: number) {
  const topology = complete(n);
  const network = memoryNetwork(topology, { order: 'any', schedule: setImmediate });
  return topology.nodes.map((self) =>
    semaphore({ entries, self, topology, transport: network.transport(self) }),
  );
}

const turns = async (count = 20) => {
  for (let left = count; left > 0; left--) await turn();
};

describe('a semaphore', () => {
  it.each([
    [1, 3],
    [2, 4],
    [3, 4],
  ])('admits %i of %i nodes at once, and never one more', async (entries, n) => {
    const nodes = semaphores(n, entries);
    let [inside, most, entered] = [0, 0, 0];
    await Promise.all(
      nodes.flatMap((each) =>
        Array.from({ length: 5 }, () =>
          each.run(async ({ fencingToken }) => {
            expect(fencingToken).toBeUndefined();
            entered++;
            inside++;
            most = Math.max(most, inside);
            await turns();
            inside--;
          }),
        ),
      ),
    );
    expect([most, entered]).toEqual([entries, 5 * n]);
    for (const each of nodes) await each.close();
  });

  it('lets a node wait until one of those inside leaves, and withdraws a request that is too late', async () => {
    const [a, b, c] = semaphores(3, 2);
    if (!a || !b || !c) throw new Error('unreachable: three were made');
    const first = await a.acquire();
    const second = await b.acquire();
    expect(await c.tryAcquire({ waitFor: 10 })).toBeUndefined();
    expect(c.metrics).toMatchObject({ withdrawn: 1 });
    let third = false;
    const waiting = c.run(() => (third = true));
    await turns();
    expect(third).toBe(false);
    first.release();
    expect(await waiting).toBe(true);
    second.release();
    for (const each of [a, b, c]) await each.close();
  });

  it('goes on with one entry less when a node is closed, and stops when none is left', async () => {
    const [a, b, c, d] = semaphores(4, 2);
    if (!a || !b || !c || !d) throw new Error('unreachable: four were made');
    await d.close();
    const held = await a.acquire();
    expect(await b.tryAcquire({ waitFor: 10 })).toBeUndefined();
    held.release();
    await b.run(() => {});
    await c.close();
    await expect(a.acquire({ waitFor: 10 })).rejects.toThrow(
      /^Node a did not get the lock within 10 ms: it waits for (b, )?c, d\./, // b may be late, too
    );
  });

  it('refuses what is no number of entries, and options of locks alone', () => {
    const topology = complete(2);
    const of = (options: Readonly<Record<string, unknown>>) => () =>
      semaphore({
        self: 'a',
        topology,
        transport: memoryNetwork(topology).transport('a'),
        ...options,
      } as SemaphoreOptions); // wrong on purpose
    expect(of({ entries: 0 })).toThrow(/^semaphore: entries is 0\./);
    expect(of({})).toThrow(/^semaphore: entries is /);
    expect(of({ entries: 2, tolerate: 'none' })).toThrow(/^semaphore: .*tolerate/);
  });

  it('is no lock', () => {
    const topology = complete(2);
    expect(() =>
      lock(multipleEntries(), {
        self: 'a',
        topology,
        transport: memoryNetwork(topology).transport('a'),
      }),
    ).toThrow(/solves 'k-exclusion'; a lock needs a protocol for 'mutual-exclusion'/);
  });
});
