/** Locks by name over one transport. */
import { setTimeout as sleep } from 'node:timers/promises';
import { groupLock } from '@conclave/algorithms/group-lock';
import { raymond } from '@conclave/algorithms/raymond';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { memoryNetwork, reliable } from '@conclave/core/embedding';
import type { ConclaveError, Protocol } from '@conclave/core/protocol';
import { tree } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { refusal } from '../election/elections.contract.js';
import { expiring } from './expiring.contract.js';
import { locks } from './lock-choice.js';
import { locks as locksByProtocol } from './locks.js';
import type { Locks, LocksOptions } from './locks-types.js';

const abc = ['a', 'b', 'c'];

function threeNodes(options: Partial<LocksOptions> = { tolerate: 'none' }) {
  const network = memoryNetwork(abc);
  const errors: string[] = [];
  const transports = abc.map((self) => network.transport(self));
  const [a, b, c] = transports.map((transport) =>
    locks({
      self: transport.self,
      peers: abc,
      transport,
      leaveWithin: 20,
      onError: ({ message }) => errors.push(message),
      ...options,
    } as LocksOptions),
  );
  if (!a || !b || !c) throw new Error('unreachable: three were made');
  const close = async () => {
    for (const each of [a, b, c]) await each.close();
  };
  return { a, b, c, errors, transports, close };
}

describe('locks by name', () => {
  it('exclude each other by name only, and need to be opened by no other node', async () => {
    const { a, b, c, close } = threeNodes();
    expect(a.open('orders')).toBe(a.open('orders'));
    expect(a.open('orders').name).toBe('orders');
    const [orders, stock] = [await a.open('orders').acquire(), await b.open('stock').acquire()];
    let entered = false;
    const third = c
      .open('orders')
      .acquire()
      .then((held) => {
        entered = true;
        return held;
      });
    await sleep(5);
    expect(entered).toBe(false);
    orders.release();
    const next = await third;
    expect([next.fencingToken, stock.fencingToken]).toEqual([2, 1]);
    // a has the tokens at first, and was asked
    expect([a.names, b.names]).toEqual([['orders', 'stock'], ['stock']]);
    await close();
  });

  it('take what has arrived before they were there', async () => {
    const network = memoryNetwork(['a', 'b']);
    const errors: string[] = [];
    const [toA, toB] = [network.transport('a'), network.transport('b')];
    const onError = ({ message }: ConclaveError) => errors.push(message);
    const b = locks({ tolerate: 'none', self: 'b', peers: ['a'], transport: toB, onError });
    const acquired = b.open('orders').acquire();
    await sleep(5); // the request waits in the transport of a
    const a = locks({ tolerate: 'none', self: 'a', peers: ['b'], transport: toA, onError });
    expect(errors).toEqual([]);
    expect(a.refused).toBe(0);
    (await acquired).release();
    for (const each of [a, b]) await each.close();
  });

  proof('count right for 200 names and three nodes, over a transport that reorders', async () => {
    const network = memoryNetwork(abc, { order: 'any', schedule: setImmediate });
    const all = abc.map((self) =>
      locks({ tolerate: 'none', self, peers: abc, transport: network.transport(self) }),
    );
    const counts = new Map<string, number>();
    const names = Array.from({ length: 200 }, (_, index) => `item-${index}`);
    await Promise.all(
      all.flatMap((each) =>
        names.map((name) =>
          each.open(name).run(async () => {
            const before = counts.get(name) ?? 0;
            await sleep(0);
            counts.set(name, before + 1);
          }),
        ),
      ),
    );
    expect(new Set(counts.values())).toEqual(new Set([3]));
    expect(all.map(({ names: open }) => open.length)).toEqual([200, 200, 200]);
    for (const each of all) await each.close();
  });

  it('work over one reliable link for all names, and on a tree', async () => {
    const network = memoryNetwork(['a', 'b']);
    const pair = ['a', 'b'].map((self) =>
      locks({
        protocol: ricartAgrawala,
        self,
        peers: ['a', 'b'],
        transport: reliable(network.transport(self)),
      }),
    );
    const [a, b] = pair;
    await Promise.all(
      pair.flatMap((each) => ['x', 'y', 'z'].map((name) => each.open(name).run(() => sleep(0)))),
    );
    expect([a?.names.length, b?.names.length]).toEqual([3, 3]);
    for (const each of pair) await each.close();
    const topology = tree(2, 3);
    const wires = memoryNetwork(topology);
    const nodes = topology.nodes.map((self) =>
      locks({ protocol: raymond(), self, topology, transport: wires.transport(self) }),
    );
    const tokens: (number | undefined)[] = [];
    for (const each of nodes)
      tokens.push(await each.open('it').run(({ fencingToken }) => fencingToken));
    expect(tokens).toEqual([1, 2, 3]);
    for (const each of nodes) await each.close();
  });

  it('are closed together, and refuse more', async () => {
    const { a, b } = threeNodes();
    const held = await a.open('orders').acquire();
    const waiting = refusal(b.open('orders').acquire());
    await b.close();
    await a.close();
    expect(held.signal.reason).toMatchObject({ reason: 'closed' });
    expect((await waiting).code).toBe('closed');
    expect(() => a.open('orders')).toThrow('The locks of node a are closed');
    expect((await refusal(a.acquireAll(['orders']))).code).toBe('closed');
    expect(a.names).toEqual([]);
  });
});

describe('a name', () => {
  it('is a word, not a path, and not too long', async () => {
    const { a, close } = threeNodes();
    for (const name of [
      '',
      '.',
      '..',
      '../x',
      'a/b',
      'a b',
      '-x',
      'x\u0000',
      'x'.repeat(201),
      'ä'.repeat(101),
      '\ud800',
    ])
      expect(() => a.open(name)).toThrow(
        'names no lock. Give letters, digits and ._:@-, 200 bytes at most.',
      );
    for (const name of ['orders', 'user:17@shop', 'x'.repeat(200), 'ä'.repeat(100), '7', '注文.1'])
      expect(a.open(name).name).toBe(name);
    await close();
  });

  it('of a frame is checked as well; what is none is refused, counted and reported at powers of ten', async () => {
    const network = memoryNetwork(['a', 'b']);
    const errors: string[] = [];
    const a = locks({
      tolerate: 'none',
      self: 'a',
      peers: ['b'],
      transport: network.transport('a'),
      onError: ({ what }) => errors.push(what),
    });
    const b = network.transport('b');
    const bad = [
      { type: 'request', requester: 'b' },
      { type: 'named', name: '../../etc', message: { type: 'request', requester: 'b' } },
      { type: 'named', name: 7, message: { type: 'request' } },
      { type: 'named', name: 'x' },
      { type: 'named', name: 'x', message: null },
    ];
    for (const frame of [...bad, ...bad]) b.send('a', frame);
    await sleep(0);
    expect(errors).toEqual(
      [1, 10].map(
        (count) => `Node a refused a message of b, the ${count}. of all: it carries no valid name`,
      ),
    );
    expect([a.refused, a.names]).toEqual([10, []]);
    b.send('a', { type: 'named', name: 'x', message: { type: 'nonsense' } } as { type: string });
    await sleep(0);
    expect(errors).toHaveLength(3); // the lock itself refuses it
    await a.close();
  });

  it('is refused above mostNames, from here and from a peer', async () => {
    const { a, b, errors, close } = threeNodes({ tolerate: 'none', mostNames: 2 });
    for (const name of ['one', 'two']) await b.open(name).run(() => {});
    expect(a.names).toEqual(['one', 'two']);
    expect(() => a.open('three')).toThrow(
      "Node a cannot open 'three': it has 2 names open, which is mostNames. Close names, or raise mostNames.",
    );
    expect(() => b.open('three')).toThrow('mostNames');
    await close();
    expect(errors).toEqual([]);
    const network = memoryNetwork(['a', 'b']);
    const on = (self: string, mostNames: number) =>
      locks({
        tolerate: 'none',
        self,
        peers: ['a', 'b'],
        transport: network.transport(self),
        mostNames,
        leaveWithin: 20,
        onError: ({ what }) => errors.push(what),
      });
    const [small, large] = [on('a', 1), on('b', 10)];
    await large.open('one').run(() => {});
    expect((await refusal(large.open('two').acquire({ waitFor: 20 }))).code).toBe('timed-out');
    expect(errors).toEqual([
      'Node a refused a message of b, the 1. of all: it has 1 names open, which is mostNames',
    ]);
    expect([small.names, small.refused]).toEqual([['one'], 1]);
    for (const each of [small, large]) await each.close();
  });

  it('that is closed is not opened again, by a protocol without restarts', async () => {
    const { a, b, errors, close } = threeNodes();
    await a.open('orders').run(() => {});
    await a.open('orders').close();
    expect(a.names).toEqual([]);
    expect(() => a.open('orders')).toThrow(
      "Node a cannot open 'orders': it has closed 'orders', and Naimi–Trehel does not tolerate that a node comes back. Keep it open as long as any node needs it.",
    );
    expect((await refusal(b.open('orders').acquire({ waitFor: 20 }))).code).toBe('timed-out');
    expect([a.refused, errors.length]).toEqual([1, 1]);
    await close();
  });
});

describe('acquireAll', () => {
  it('has all names, with a fencing token each, and gives all back', async () => {
    const { a, b, close } = threeNodes();
    const both = await a.acquireAll(['stock', 'orders', 'stock']);
    expect(both.fencingTokens).toEqual({ orders: 1, stock: 1 });
    expect(both.signal.aborted).toBe(false);
    both.release();
    both.release();
    {
      await using again = await b.acquireAll(['orders', 'stock']);
      expect(again.fencingTokens).toEqual({ orders: 2, stock: 2 });
    }
    expect([a, b].map((each) => each.open('stock').metrics)).toMatchObject([
      { released: 1, lost: {} },
      { released: 1, lost: {} },
    ]);
    await close();
  });

  it('waits in no cycle, whatever the order of the names', async () => {
    const { a, b, c, close } = threeNodes();
    const [x, y, z] = ['x', 'y', 'z'];
    const wanted: [Locks, string[]][] = [
      [a, [x, y]],
      [b, [y, z]],
      [c, [z, x]],
    ].map(([each, names]) => [each, names]) as [Locks, string[]][];
    let entries = 0;
    await Promise.all(
      wanted.flatMap(([each, names]) =>
        Array.from({ length: 20 }, async () => {
          const all = await each.acquireAll(names.toReversed());
          await sleep(0);
          entries++;
          all.release();
        }),
      ),
    );
    expect(entries).toBe(60);
    await close();
  });

  it('gives back what it has when it fails, and says for which name', async () => {
    const { a, b, close } = threeNodes();
    const held = await b.open('stock').acquire();
    const late = await refusal(a.acquireAll(['stock', 'orders'], { waitFor: 20 }));
    expect([late.code, late.what]).toEqual([
      'timed-out',
      expect.stringMatching(
        /^Not all locks were acquired, for 'stock': Node a did not get the lock within/,
      ),
    ]);
    const controller = new AbortController();
    const aborted = refusal(a.acquireAll(['orders', 'stock'], { signal: controller.signal }));
    await sleep(0);
    controller.abort('enough');
    expect(await aborted).toMatchObject({ code: 'aborted', cause: 'enough' });
    expect((await refusal(a.acquireAll(['x'], { signal: AbortSignal.abort('before') }))).code).toBe(
      'aborted',
    );
    expect((await refusal(a.acquireAll([]))).message).toBe(
      'acquireAll has no names. Give one at least.',
    );
    expect((await refusal(a.acquireAll(['x'], { waitFor: -1 }))).code).toBe('bad-input');
    (await b.open('orders').acquire()).release();
    held.release();
    await close();
  });

  it('is lost with the first name that is lost, and then releases the others', async () => {
    const timers = new Set<() => void>();
    const clock = {
      setTimeout: (fire: () => void) => {
        timers.add(fire);
        return fire;
      },
      clearTimeout: (handle: unknown) => {
        for (const fire of timers) if (fire === handle) timers.delete(fire);
      },
    };
    const expire = (place: number) => {
      const fire = [...timers][place];
      if (!fire) throw new Error(`there is no timer ${place}`);
      timers.delete(fire);
      fire();
    };
    const transport = memoryNetwork(['a']).transport('a');
    const a = locks({
      protocol: expiring('lease-expired'),
      self: 'a',
      peers: [],
      transport,
      clock,
    });
    const both = await a.acquireAll(['x', 'y']);
    expire(0); // that of x
    expect(both.signal.reason).toMatchObject({ code: 'lost', reason: 'lease-expired' });
    expect(await both.lost).toBe(both.signal.reason);
    expect(a.open('y').metrics.held).toBe(1);
    both.release();
    expect([a.open('x').metrics, a.open('y').metrics]).toMatchObject([
      { held: 0, released: 0, lost: { 'lease-expired': 1 } },
      { held: 0, released: 1, lost: {} },
    ]);
    const holding = await a.open('y').acquire();
    const waiting = refusal(a.acquireAll(['x', 'y']));
    await sleep(0);
    expire(1); // that of x: y was acquired before
    expect(await waiting).toMatchObject({ code: 'lost', reason: 'lease-expired' });
    expect(a.open('y').metrics.waiting).toBe(0);
    holding.release();
    await a.close();
  });
});

it('locks refuses no protocol, one that needs a detector, one that tolerates too little, and unknown options', () => {
  const on = () => ({ self: 'a', peers: abc, transport: memoryNetwork(abc).transport('a') });
  expect(() => locks(on())).toThrow(
    "locks has neither a protocol nor tolerate. Give tolerate: 'none' or 'crash'.",
  );
  expect(() => locks({ ...on(), protocol: groupLock() })).toThrow(
    "needs a detector, and locks has none. Try tolerate: 'crash'.",
  );
  expect(() => locks({ ...on(), protocol: ricartAgrawala, tolerate: 'crash' })).toThrow(
    'does not tolerate crashes',
  );
  expect(() => locks({ ...on(), tolerate: 'none', claim: {} } as LocksOptions)).toThrow(
    "locks: there is no option 'claim'.",
  );
  expect(() => locks({ ...on(), tolerate: 'none', mostNames: 0 })).toThrow(
    'locks: mostNames is 0. Give a whole number, 1 or more.',
  );
  const none: LocksOptions = { ...on(), tolerate: 'none' };
  expect(() => locksByProtocol(none as LocksOptions & { protocol: Protocol })).toThrow(
    'locks has no protocol. Give one; or import locks',
  );
});
