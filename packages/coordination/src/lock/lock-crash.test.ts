/**
 * The lock that `tolerate: 'crash'` chooses, on a clock that a test moves: crashes, a holder
 * without contact, restarts of single names.
 */
import { setImmediate as turn } from 'node:timers/promises';
import {
  memoryNetwork,
  memoryStorage,
  type StableStorage,
  type Transport,
} from '@conclave/core/embedding';
import { describe, expect, it } from 'vitest';
import { lock, locks } from './lock-choice.js';

const abc = ['a', 'b', 'c'];

/**
 * One clock for all nodes. `advance` fires timers in the order of their times, and delivers
 * messages between.
 */
function movedClock() {
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>();
  let time = 0;
  const clock = {
    now: () => time,
    setTimeout: (fire: () => void, delay: number) => {
      const timer = { at: time + delay, fire };
      timers.add(timer);
      return timer;
    },
    clearTimeout: (handle: unknown) => {
      for (const timer of timers) if (timer === handle) timers.delete(timer);
    },
  };
  const advance = async (ms: number) => {
    const until = time + ms;
    for (;;) {
      await turn();
      const [next] = [...timers]
        .filter(({ at }) => at <= until)
        .sort((one, other) => one.at - other.at);
      if (!next) break;
      timers.delete(next);
      time = next.at;
      next.fire();
    }
    time = until;
  };
  return { clock, advance };
}

/** A network that can lose all messages from and to a node. */
function cuttable() {
  const network = memoryNetwork(abc);
  const cut = new Set<string>();
  const transport = (self: string): Transport => {
    const made = network.transport(self);
    const send: Transport['send'] = (to, message) => {
      if (!cut.has(self) && !cut.has(to)) made.send(to, message);
    };
    return { ...made, send };
  };
  return { cut, transport };
}

function threeLocks() {
  const { clock, advance } = movedClock();
  const { cut, transport } = cuttable();
  const [a, b, c] = abc.map((self) =>
    lock({ tolerate: 'crash', self, peers: abc, transport: transport(self), clock }),
  );
  if (!a || !b || !c) throw new Error('unreachable: three were made');
  return { a, b, c, cut, advance };
}

describe("a lock with tolerate: 'crash'", () => {
  it('tells a holder without contact that it lost the lock, before another node has it', async () => {
    const { a, b, c, cut, advance } = threeLocks();
    const order: string[] = [];
    const acquiring = a.acquire();
    await advance(0);
    const held = await acquiring;
    held.signal.addEventListener('abort', () => order.push(`a: ${held.signal.reason.reason}`));
    cut.add('a');
    const waiting = b.acquire().then((next) => {
      order.push('b has it');
      return next;
    });
    await advance(1000);
    expect(order).toEqual([]);
    await advance(20_000);
    expect(order).toEqual(['a: lease-expired', 'b has it']);
    const next = await waiting;
    expect(next.fencingToken).toBeGreaterThan(held.fencingToken ?? Infinity);
    held.release();
    cut.clear();
    const again = a.acquire();
    await advance(1000);
    expect([a.metrics.waiting, a.metrics.lost]).toEqual([1, { 'lease-expired': 1 }]);
    next.release();
    await advance(1000);
    const last = await again;
    expect(last.fencingToken).toBeGreaterThan(next.fencingToken ?? Infinity);
    last.release();
    for (const each of [a, b, c]) await each.close();
  });

  it('goes on without a node that was closed while it had the lock, at once', async () => {
    const { a, b, c, advance } = threeLocks();
    const acquiring = a.acquire();
    await advance(0);
    await acquiring;
    const waiting = b.acquire();
    await advance(10);
    const closed = a.close();
    await advance(10); // much less than the lease
    await closed;
    (await waiting).release();
    for (const each of [b, c]) await each.close();
  });

  it('knows after tryAcquire that another node has it, and withdraws', async () => {
    const { a, b, c, advance } = threeLocks();
    const acquiring = a.acquire();
    await advance(0);
    const held = await acquiring;
    const trying = b.tryAcquire({ waitFor: 500 });
    await advance(600);
    expect(await trying).toBeUndefined();
    expect(b.metrics).toMatchObject({ unavailable: 1, withdrawn: 1, waiting: 0 });
    held.release();
    await advance(100);
    expect(b.metrics.acquired).toBe(0);
    for (const each of [a, b, c]) await each.close();
  });
});

describe("locks with tolerate: 'crash'", () => {
  it('may close a name and open it again, with storage', async () => {
    const { clock, advance } = movedClock();
    const { transport } = cuttable();
    const storages = new Map<string, StableStorage>();
    const kept = (key: string) => {
      const storage = storages.get(key) ?? memoryStorage();
      storages.set(key, storage);
      return storage;
    };
    const [a, b, c] = abc.map((self) =>
      locks({
        tolerate: 'crash',
        self,
        peers: abc,
        transport: transport(self),
        clock,
        storage: (name) => kept(`${self}/${name}`),
      }),
    );
    if (!a || !b || !c) throw new Error('unreachable: three were made');
    const tokens: (number | undefined)[] = [];
    for (let entry = 0; entry < 3; entry++) {
      const ran = a.open('orders').run(({ fencingToken }) => tokens.push(fencingToken));
      await advance(100);
      await ran;
      await a.open('orders').close();
      await b.open('orders').close();
      expect([a.names, b.names, c.names]).toEqual([[], [], ['orders']]);
    }
    expect(tokens).toEqual(tokens.toSorted((one, other) => Number(one) - Number(other)));
    expect(new Set(tokens).size).toBe(3);
    for (const each of [a, b, c]) await each.close();
  });

  it('keeps a closed name closed without storage', async () => {
    const { clock, advance } = movedClock();
    const { transport } = cuttable();
    const [a, b, c] = abc.map((self) =>
      locks({
        tolerate: 'crash',
        self,
        peers: abc,
        transport: transport(self),
        clock,
        onError: () => {},
      }),
    );
    await a?.open('orders').close();
    expect(() => a?.open('orders')).toThrow(
      'does not tolerate that a node comes back without storage',
    );
    const ran = b?.open('orders').run(() => 'by two of three');
    await advance(100);
    expect(await ran).toBe('by two of three');
    for (const each of [a, b, c]) await each?.close();
  });
});
