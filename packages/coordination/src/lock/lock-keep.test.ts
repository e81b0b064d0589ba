/** A lock whose lease outlives the stay: what the application sees of the option `keep`. */

import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { memoryNetwork, type StableRecord } from '@conclave/core/embedding';
import { describe, expect, it } from 'vitest';
import { lock } from './lock.js';

const nodes = ['a', 'b', 'c'];
const protocol = leasedMajority({ lease: 1000, renewal: 200, keep: 10_000, cancel: true });

/** Their timers never fire by themselves. */
function trio() {
  const network = memoryNetwork(nodes);
  const clock = {
    time: 0,
    now: () => clock.time,
    setTimeout: (fire: () => void) => fire,
    clearTimeout: () => {},
  };
  const writes: StableRecord[] = [];
  const [a, b] = nodes.map((self) =>
    lock(protocol, {
      self,
      peers: nodes.filter((id) => id !== self),
      transport: network.transport(self),
      clock: self === 'a' ? clock : { ...clock, now: () => 0 },
      storage: {
        read: () => undefined,
        write: (record) => {
          if (self === 'a') writes.push(record);
        },
      },
    }),
  );
  if (!a || !b) throw new Error('unreachable: there are three');
  return { a, b, clock, writes };
}

describe('a lock with keep', () => {
  it('is entered again without a write, with a larger token', async () => {
    const { a, writes } = trio();
    const first = await a.acquire();
    first.release();
    const before = writes.length;
    const tokens: (number | undefined)[] = [first.fencingToken];
    for (let entry = 0; entry < 3; entry++)
      await a.run((held) => {
        tokens.push(held.fencingToken);
        expect(held.remaining).toBe(800);
      });
    expect(tokens).toEqual([0, 1, 2, 3].map((more) => Number(first.fencingToken) + more));
    expect(writes.length).toBe(before);
    expect(first.remaining).toBe(0);
    expect(a.health).toMatchObject({ state: 'working', awaited: [] });
  });

  it('goes to the node that asks, with a larger token, and back', async () => {
    const { a, b } = trio();
    const first = await a.acquire();
    first.release();
    const second = await b.acquire();
    expect(second.fencingToken).toBeGreaterThan(Number(first.fencingToken));
    const waiting = a.acquire();
    second.release();
    expect((await waiting).fencingToken).toBeGreaterThan(Number(second.fencingToken));
  });

  it('is requested anew after a pause that was longer than the lease', async () => {
    const { a, clock } = trio();
    const first = await a.acquire();
    first.release();
    clock.time = 5000; // no timer has fired
    const held = await a.acquire();
    expect(held.remaining).toBe(800);
    expect(held.fencingToken).toBeGreaterThan(Number(first.fencingToken) + 1);
  });

  it('returns its votes when it is closed, so that no node waits for a lease', async () => {
    for (const isHeld of [false, true]) {
      const { a, b } = trio();
      const held = await a.acquire();
      if (!isHeld) held.release();
      await a.close();
      await expect(b.acquire()).resolves.toBeDefined();
    }
  });
});
