/**
 * A lock with a lease whose process is paused: what the application sees before the event loop has
 * fired a timer.
 */
import { setImmediate as macrotask } from 'node:timers/promises';
import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { memoryNetwork } from '@conclave/core/embedding';
import { describe, expect, it } from 'vitest';
import { lock } from './lock.js';
import { LockLost } from './lock-held.js';

/** Its timers never fire by themselves. */
const pausedClock = () => {
  const clock = {
    time: 0,
    now: () => clock.time,
    setTimeout: (fire: () => void) => fire,
    clearTimeout: () => {},
  };
  return clock;
};
const nodes = ['a', 'b', 'c'];
// validity: 800 ms, the largest multiple of renewal that is less than 1000 · 0.99 / 1.01
const leased = leasedMajority({ lease: 1000, renewal: 200 });

function trio() {
  const network = memoryNetwork(nodes);
  const clock = pausedClock();
  const others = nodes.slice(1).map((self) =>
    lock(leased, {
      self,
      peers: nodes.filter((id) => id !== self),
      transport: network.transport(self),
      clock: pausedClock(),
    }),
  );
  const a = lock(leased, {
    self: 'a',
    peers: ['b', 'c'],
    transport: network.transport('a'),
    clock,
  });
  return { a, clock, others };
}

describe('a holder that was paused', () => {
  it('reads how long it has the lock, and that it is lost, before a timer has fired', async () => {
    const { a, clock } = trio();
    const held = await a.acquire();
    expect(held.remaining).toBe(800);
    clock.time = 150;
    expect(held.remaining).toBe(650);
    clock.time = 5000;
    expect(held.signal.aborted).toBe(false); // nothing has run since
    expect(held.remaining).toBe(0);
    expect(held.signal.reason).toMatchObject({ reason: 'lease-expired' });
  });

  it('does not count an answer that comes late', async () => {
    const { a, clock } = trio();
    const waiting = a.acquire({ waitFor: 60_000 });
    clock.time = 5000; // before the votes arrive
    await macrotask();
    await macrotask();
    const held = await waiting;
    expect(held.remaining).toBe(800); // by votes that it has requested since
  });

  it('is told by run, and releases without an error', async () => {
    const { a, clock } = trio();
    const late = a.run(() => {
      clock.time = 5000;
    });
    await expect(late).rejects.toBeInstanceOf(LockLost);
    const held = await a.acquire();
    clock.time = 20_000;
    held.release();
    held.release();
    expect(held.signal.reason).toMatchObject({ reason: 'lease-expired' });
    expect(a.metrics).toMatchObject({ held: 0, lost: { 'lease-expired': 2 } });
  });
});

it('without a lease it remains until it is given back', async () => {
  const network = memoryNetwork(['a', 'b']);
  const [a] = ['a', 'b'].map((self) =>
    lock(ricartAgrawala, {
      self,
      peers: [self === 'a' ? 'b' : 'a'],
      transport: network.transport(self),
    }),
  );
  const held = await a?.acquire();
  expect(held?.remaining).toBe(Infinity);
  held?.release();
  expect(held?.remaining).toBe(0);
});
