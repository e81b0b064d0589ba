/** `tryAcquire`, `close` while others wait, the choice of a protocol, and what a lock counts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { centralCoordinator } from '@conclave/algorithms/central-coordinator';
import { naimiTrehel } from '@conclave/algorithms/naimi-trehel';
import { ricartAgrawala, ricartAgrawalaCancellable } from '@conclave/algorithms/ricart-agrawala';
import { memoryNetwork } from '@conclave/core/embedding';
import { handStepped } from '@conclave/core/internal/embedding';
import type { Protocol } from '@conclave/core/protocol';
import { grid, ring, star } from '@conclave/core/topology';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { expiring } from './expiring.contract.js';
import { lock } from './lock-choice.js';
import type { Lock } from './lock-types.js';

function twoByHand(protocol = ricartAgrawala as Parameters<typeof lock>[0]) {
  const network = handStepped(['a', 'b']);
  const now = { time: 0 };
  const [a, b] = ['a', 'b'].map((self) => {
    const clock = { ...network.clock(self), now: () => now.time };
    return lock(protocol, { self, peers: ['a', 'b'], transport: network.transport(self), clock });
  });
  if (!a || !b) throw new Error('unreachable: two were made');
  const settle = async () => {
    for (let [next] = network.inFlight; next; [next] = network.inFlight)
      network.deliver(next.from, next.to);
    await sleep(0);
  };
  return { network, a, b, now, settle };
}

it('a node that only serves the others rejects each call at once, and serves on', async () => {
  const topology = star(['a', 'b', 'c']);
  const network = memoryNetwork(topology);
  const [a, b] = topology.nodes.map((self) =>
    lock(centralCoordinator({ cancel: true }), {
      ...{ self, topology, transport: network.transport(self) },
    }),
  );
  for (const call of [a?.acquire(), a?.tryAcquire(), a?.run(() => {})])
    await expect(call).rejects.toMatchObject({
      code: 'bad-input',
      message:
        'Node a never requests the lock: by Central coordinator it only serves the other nodes. Acquire at another node, such as c.',
    });
  expect(await b?.run(({ fencingToken }) => fencingToken)).toBe(1);
});

describe('tryAcquire', () => {
  it('has a token that is here without any message, and no other one', async () => {
    const { network, a, b } = twoByHand(naimiTrehel({ holder: 'a' }));
    const held = await a.tryAcquire({ waitFor: 0 });
    expect(held?.fencingToken).toBe(1);
    const missed = b.tryAcquire({ waitFor: 0 });
    network.fire('b', 'timer');
    expect(await missed).toBeUndefined();
    expect(b.metrics).toMatchObject({ waiting: 0, unavailable: 1, timedOut: 0, acquired: 0 });
  });

  it('is undefined at once while another call on the node has the lock, or waits', async () => {
    const { network, a, settle } = twoByHand();
    const waiting = a.acquire();
    expect(await a.tryAcquire()).toBeUndefined();
    await settle();
    await waiting;
    expect(await a.tryAcquire()).toBeUndefined();
    expect([a.metrics.unavailable, network.timers('a')]).toEqual([2, []]);
  });

  it('withdraws its request after its time, where the protocol can', async () => {
    const { network, a, b, settle } = twoByHand(ricartAgrawalaCancellable);
    const holding = b.acquire();
    await settle();
    const trying = a.tryAcquire({ waitFor: 30 });
    network.fire('a', 'timer');
    expect(await trying).toBeUndefined();
    (await holding).release();
    await settle();
    expect(a.metrics).toMatchObject({ unavailable: 1, withdrawn: 1, acquired: 0 });
  });

  it('throws what acquire throws, except for the time', async () => {
    const { a } = twoByHand();
    await expect(a.tryAcquire({ signal: AbortSignal.abort('no') })).rejects.toMatchObject({
      code: 'aborted',
      cause: 'no',
    });
    await expect(a.tryAcquire({ waitFor: Number.NaN })).rejects.toMatchObject({
      code: 'bad-input',
    });
    await a.close();
    await expect(a.tryAcquire()).rejects.toMatchObject({ code: 'closed' });
    expect(a.metrics).toMatchObject({ aborted: 1, failed: 1, closed: 1, unavailable: 0 });
  });
});

describe('a lock that is closed', () => {
  it('while it waits and cannot withdraw, enters, and hands over before its node stops', async () => {
    const { network, a, b, settle } = twoByHand(naimiTrehel({ holder: 'b' }));
    const holding = b.acquire();
    const waiting = a.acquire().catch(() => 'closed');
    await settle();
    let left = false;
    const closed = a.close().then(() => (left = true));
    const next = b.acquire(); // behind a: without a, the token would be lost with it
    expect(await waiting).toBe('closed');
    await settle();
    expect(left).toBe(false);
    (await holding).release();
    await settle();
    (await next).release();
    await closed;
    expect(network.timers('a')).toEqual([]);
  });

  it('withdraws where it can', async () => {
    const { a, b, settle } = twoByHand(ricartAgrawalaCancellable);
    const holding = b.acquire();
    await settle();
    const waiting = a.acquire().catch(() => 'closed');
    await settle();
    const closed = a.close();
    (await holding).release();
    await settle();
    expect(await waiting).toBe('closed');
    await closed;
    expect(a.metrics).toMatchObject({ withdrawn: 1, closed: 1, acquired: 0 });
  });

  it('waits no longer than leaveWithin', async () => {
    const { network, a } = twoByHand();
    void a.acquire().catch(() => {});
    const closed = a.close();
    expect(network.timers('a')).toEqual(['timer']);
    network.fire('a', 'timer');
    await closed;
    expect(a.close()).toBe(a.close());
    const at = handStepped(['a', 'b']);
    const hasty = lock(ricartAgrawala, {
      self: 'a',
      peers: ['b'],
      transport: at.transport('a'),
      clock: at.clock('a'),
      leaveWithin: 0,
    });
    void hasty.acquire().catch(() => {});
    await hasty.close();
    expect(at.timers('a')).toEqual([]);
  });

  it('may be closed again by what its close causes', async () => {
    const network = handStepped(['a']);
    const a = lock(expiring(null), {
      self: 'a',
      peers: [],
      transport: network.transport('a'),
      clock: network.clock('a'),
    });
    const held = await a.acquire();
    held.signal.addEventListener('abort', () => void a.close());
    await a.close();
    expect(network.timers('a')).toEqual([]);
  });
});

describe('a lock that chooses its protocol', () => {
  const transport = (self = 'a') => memoryNetwork(['a', 'b', 'c']).transport(self);

  it('sends least where no fault is tolerated', async () => {
    const lines: string[] = [];
    const logger = { debug: (line: string) => lines.push(line) };
    const network = handStepped(['a', 'b', 'c']);
    const a = lock({
      tolerate: 'none',
      self: 'a',
      peers: ['b', 'c'],
      transport: network.transport('a'),
      logger,
    });
    expect((await a.acquire()).fencingToken).toBe(1);
    expect(network.inFlight).toEqual([]);
    // Naimi–Trehel
    expect(lines).toEqual(['lock of a: released.here', 'lock of a: released.here → held']);
    for (const topology of [star(4), grid(2, 2)]) {
      const other = memoryNetwork(topology);
      const all = topology.nodes.map((self) =>
        lock({ tolerate: 'none', self, topology, transport: other.transport(self) }),
      );
      const tokens: (number | undefined)[] = [];
      for (const each of all) tokens.push(await each.run(({ fencingToken }) => fencingToken));
      expect(tokens).toEqual([1, 2, 3, 4]);
      for (const each of all) await each.close();
    }
  });

  it('refuses what no protocol does', () => {
    const loose = lock as (...given: unknown[]) => Lock;
    const on = { self: 'a', peers: ['b', 'c'], transport: transport() };
    expect(() => loose({ ...on, tolerate: 'everything' })).toThrow(
      "lock: tolerate is 'everything'. Give one of 'none', 'crash'.",
    );
    expect(() => loose(on)).toThrow('lock: tolerate is missing. It knows self,');
    expect(() => lock({ ...on, peers: ['b'], tolerate: 'crash' })).toThrow(
      "A lock of 2 nodes tolerates no crash: a majority of them is all of them. Name three nodes or more, also such that never acquire; or take tolerate: 'none'.",
    );
    expect(() => lock(naimiTrehel(), { ...on, tolerate: 'crash' })).toThrow(
      "Naimi–Trehel does not tolerate crashes, and the lock must: tolerate is 'crash'. Leave out the protocol, and lock chooses one; or leave out tolerate.",
    );
    expect(() =>
      lock({
        self: 'a',
        topology: ring(['a', 'b', 'c']),
        transport: transport(),
        tolerate: 'none',
      }),
    ).toThrow(
      "No lock is known for the network 'ring:a,b,c'. Connect the nodes by links in both directions.",
    );
    const restarting = {
      ...on.transport,
      guarantees: { ...on.transport.guarantees, restarts: true },
    };
    expect(() => lock({ ...on, transport: restarting, tolerate: 'crash' })).toThrow(
      "Node a may come back as a new process, and would have forgotten to whom it gave its vote. Give storage, such as fileStorage('data/a') from @conclave/core/embedding/node.",
    );
  });
});

it('the metrics of a lock count each call once, and its times by bucket', async () => {
  const { network, a, b, now, settle } = twoByHand();
  expect(a.metrics).toMatchObject({
    waiting: 0,
    held: 0,
    age: undefined,
    wait: { count: 0, sum: 0 },
  });
  const holding = b.acquire();
  await settle();
  const held = await holding;
  const [first, late] = [a.acquire(), a.acquire({ waitFor: 50 }).catch(({ code }) => code)];
  const controller = new AbortController();
  const aborted = a.acquire({ signal: controller.signal }).catch(({ code }) => code);
  now.time = 50;
  expect([a.metrics.waiting, b.metrics.held, b.metrics.age]).toEqual([3, 1, 50]);
  network.fire('a', 'timer');
  controller.abort();
  expect([await late, await aborted]).toEqual(['timed-out', 'aborted']);
  now.time = 60;
  held.release();
  await settle();
  const mine = await first;
  now.time = 70_060;
  mine.release();
  const { wait, hold, ...counts } = a.metrics;
  expect(counts).toEqual({
    ...{ waiting: 0, held: 0, age: undefined, acquired: 1, released: 1, lost: {}, withdrawn: 0 },
    ...{ aborted: 1, timedOut: 1, unavailable: 0, closed: 0, refused: 0, failed: 0 },
  });
  expect([wait.count, wait.sum, hold.count, hold.sum]).toEqual([1, 60, 1, 70_000]);
  expect(wait.counts[wait.bounds.indexOf(100)]).toBe(1); // above 50, up to 100
  expect(hold.counts).toHaveLength(hold.bounds.length + 1);
  expect(hold.counts.at(-1)).toBe(1);
  expect(b.metrics.hold.counts[b.metrics.hold.bounds.indexOf(100)]).toBe(1);
});

it('has numbers as fencing tokens where the type of its protocol has tokens', () => {
  type Options = Parameters<typeof lock>[1];
  const chosen = (options: Options) => lock({ ...options, tolerate: 'crash' });
  const given = (options: Options) => lock(naimiTrehel(), options);
  const unknown = (protocol: Protocol, options: Options) => lock(protocol, options);
  expectTypeOf(chosen).returns.toEqualTypeOf<Lock<number>>();
  expectTypeOf(given).returns.toEqualTypeOf<Lock<number>>();
  expectTypeOf(unknown).returns.toEqualTypeOf<Lock>();
  expectTypeOf<Lock<number>>().toExtend<Lock>();
});
