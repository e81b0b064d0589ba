/** A lock that is lost while a call has it: who is told, when, and what the calls after it get. */

import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { groupLock } from '@conclave/algorithms/group-lock';
import { heartbeat } from '@conclave/algorithms/heartbeat';
import { lamport } from '@conclave/algorithms/lamport';
import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { naimiTrehel } from '@conclave/algorithms/naimi-trehel';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { suzukiKasami } from '@conclave/algorithms/suzuki-kasami';
import { conform } from '@conclave/check/conform';
import { memoryNetwork, memoryStorage } from '@conclave/core/embedding';
import { fileJournal } from '@conclave/core/embedding/node';
import { handStepped } from '@conclave/core/internal/embedding';
import type { ConclaveError, Protocol } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { expiring } from './expiring.contract.js';
import { lock } from './lock.js';
import { locks } from './lock-choice.js';
import { LockLost } from './lock-held.js';
import type { Holders } from './lock-holders.js';

/** A lock of one node, and a function that ends its lease. */
function loneLock(reason: string | null = 'lease-expired') {
  const network = handStepped(['a']);
  const lines: string[] = [];
  const logger = { debug: (line: string) => lines.push(line) };
  const a = lock(expiring(reason), {
    self: 'a',
    peers: [],
    transport: network.transport('a'),
    clock: network.clock('a'),
    logger,
  });
  return { a, lines, network, expire: () => network.fire('a', network.timers('a')[0] ?? 'none') };
}

describe('a lock that is lost', () => {
  it('aborts the signal of its holder within the step, with the reason of the machine', async () => {
    const { a, expire, lines } = loneLock();
    const held = await a.acquire();
    expect(held.signal.aborted).toBe(false);
    expire();
    expect(held.signal.aborted).toBe(true); // no turn of the event loop between
    expect(held.signal.reason).toBeInstanceOf(LockLost);
    expect(held.signal.reason).toMatchObject({ code: 'lost', node: 'a', reason: 'lease-expired' });
    expect(held.signal.reason.message).toBe(
      'Node a has lost the lock: its lease has expired. Stop the work in the critical section.',
    );
    expect(await held.lost).toBe(held.signal.reason);
    expect(a.metrics).toMatchObject({
      held: 0,
      acquired: 1,
      released: 0,
      lost: { 'lease-expired': 1 },
    });
    expect(lines).toEqual([
      'lock of a: free',
      'lock of a: free → held',
      'lock of a: held → free',
      'lock of a: Node a has lost the lock: its lease has expired',
    ]);
  });

  it('is lost without a reason, too', async () => {
    const { a, expire } = loneLock('');
    const silent = loneLock(null);
    const held = await a.acquire();
    expire();
    expect(held.signal.reason).toMatchObject({ reason: '' });
    const other = await silent.a.acquire();
    silent.expire();
    expect(other.signal.reason).toMatchObject({ reason: 'revoked' });
  });

  it('is not given back by its old holder, and goes to the next call', async () => {
    const { a, expire } = loneLock();
    const first = await a.acquire();
    const waiting = a.acquire();
    expire();
    const second = await waiting;
    first.release();
    await first[Symbol.asyncDispose]();
    expect([first.signal.aborted, second.signal.aborted, a.metrics.held]).toEqual([true, false, 1]);
    second.release();
    expect(a.metrics).toMatchObject({
      held: 0,
      acquired: 2,
      released: 1,
      lost: { 'lease-expired': 1 },
    });
  });

  it('tells before the next call is served', async () => {
    const { a, expire } = loneLock();
    const order: string[] = [];
    const first = await a.acquire();
    first.signal.addEventListener('abort', () => order.push(`lost, ${a.metrics.acquired} entry`));
    const waiting = a.acquire().then(() => order.push(`${a.metrics.acquired} entries`));
    expire();
    await waiting;
    expect(order).toEqual(['lost, 1 entry', '2 entries']);
  });

  it('makes an error of run, also where its work ended well', async () => {
    const { a, expire } = loneLock();
    let ended = false;
    const run = a.run(async () => {
      expire();
      ended = true;
      return 'done';
    });
    await expect(run).rejects.toMatchObject({ code: 'lost', reason: 'lease-expired' });
    expect(ended).toBe(true);
    const failing = a.run(() => {
      expire();
      throw new Error('of the work');
    });
    await expect(failing).rejects.toMatchObject({
      code: 'lost',
      cause: { message: 'of the work' },
    });
    const stopping: Promise<never> = a.run(({ signal }) => {
      expire();
      throw signal.reason;
    });
    const { code, cause } = await stopping.catch((error: ConclaveError) => error);
    expect([code, cause]).toEqual(['lost', undefined]);
    expect(await a.run(() => 'fine')).toBe('fine');
  });

  it('is not lost by a release, also in the middle of a run', async () => {
    const { a } = loneLock();
    const held = await a.acquire();
    held.release();
    expect(await a.run((inner) => inner.release())).toBeUndefined();
    await a.close();
    expect(held.signal.aborted).toBe(false);
    expect(a.metrics).toMatchObject({ released: 2, lost: {} });
  });

  it('by its own close', async () => {
    const { a } = loneLock();
    const held = await a.acquire();
    const closed = a.close();
    expect(held.signal.reason).toMatchObject({ code: 'lost', reason: 'closed' });
    await closed;
    expect(a.metrics).toMatchObject({ held: 0, lost: { closed: 1 } });
  });

  it('when its node stops, since its machine fails', async () => {
    const network = handStepped(['a', 'b'], { order: 'any', loss: false, duplication: false });
    const [role] = Object.values(ricartAgrawala.roles);
    if (!role) throw new Error('unreachable: a protocol has a role');
    const broken = {
      ...ricartAgrawala,
      roles: { node: { ...role, input: () => ({ self: 'a', peers: ['b', 'nowhere'] }) } },
    };
    const errors: ConclaveError[] = [];
    const a = lock(broken, {
      self: 'a',
      peers: ['b'],
      transport: network.transport('a'),
      onError: (error) => errors.push(error),
    });
    await expect(a.acquire()).rejects.toMatchObject({ code: 'closed' });
    expect(errors.map(({ code }) => code)).toEqual(['bad-protocol']);
  });

  it('when another node takes it for crashed', async () => {
    const network = memoryNetwork(['a', 'b']);
    const errors: string[] = [];
    const transport = network.transport('a');
    const detector = heartbeat({ period: 1000, timeout: 60_000 });
    const options = {
      self: 'a',
      peers: ['b'],
      transport,
      detector,
      onError: ({ code }: ConclaveError) => errors.push(code),
    };
    const a = lock(groupLock(), options);
    const held = await a.acquire();
    const waiting = a.acquire();
    network.transport('b').send('a', { type: 'reported' }); // as its detector does
    const lost = await held.lost;
    expect(lost).toMatchObject({ code: 'lost', reason: 'suspected' });
    await expect(waiting).rejects.toBe(lost);
    await expect(a.acquire()).rejects.toBe(lost);
    expect(errors).toEqual(['lost']);
    await a.close();
  });
});

const ids = ['a', 'b', 'c'] as const;

const shown = ({ holders, waiting }: Holders) =>
  [holders, waiting].map((some) => some.map(({ node, ms }) => `${node} ${ms}`).join(', '));

inVirtualTime();

/** a has the lock for 30 ms, b waits for 20 ms, c for 10 ms: what each knows. */
async function holdersKnown(protocol: Protocol) {
  const network = memoryNetwork(ids);
  const [a, b, c] = ids.map((self) =>
    lock(protocol, { self, peers: ids, transport: network.transport(self) }),
  );
  if (!a || !b || !c) throw new Error('unreachable: three were made');
  const held = await a.acquire();
  await pass(10);
  const second = b.acquire();
  await pass(10);
  const third = c.acquire();
  await pass(10);
  const all = [a, b, c].map((each) => shown(each.holders()));
  held.release();
  (await second).release();
  (await third).release();
  await pass(10);
  const after = [a, b, c].map((each) => shown(each.holders()));
  for (const each of [a, b, c]) await each.close();
  return { all, after };
}

describe('holders', () => {
  it.each([
    [leasedMajority(), ['a 30', 'b 20, c 10'], ['a 30', 'c 10, b 20'], ['a 30', 'b 20, c 10']],
    [lamport, ['a 30', 'b 20, c 10'], ['a 30', 'c 10, b 20'], ['a 30', 'b 20, c 10']],
    [ricartAgrawala, ['a 30', 'b 20, c 10'], ['', 'c 10, b 20'], ['', 'c 10']],
    [naimiTrehel(), ['a 30', 'b 20'], ['', 'c 10, b 20'], ['', 'c 10']],
    [suzukiKasami(), ['a 30', ''], ['', 'b 20'], ['', 'c 10']],
  ] as const)('$name tells what it knows, and since when', async (protocol, ...expected) => {
    const { all, after } = await holdersKnown(protocol);
    expect(all).toEqual(expected);
    expect(after).toEqual(ids.map(() => ['', '']));
  });

  it('are told by name', async () => {
    const network = memoryNetwork(ids);
    const [a, b, c] = ids.map((self) => {
      const storages = new Map(['', 'orders', 'stock'].map((name) => [name, memoryStorage()]));
      return locks({
        tolerate: 'crash',
        self,
        peers: ids,
        transport: network.transport(self),
        storage: (name) => storages.get(name) ?? memoryStorage(),
      });
    });
    if (!a || !b || !c) throw new Error('unreachable: three were made');
    const orders = await a.open('orders').acquire();
    const stock = await b.open('stock').acquire();
    await pass(2500); // the first renewals
    const { orders: first, stock: second } = c.holders();
    expect([first, second].map((each) => each?.holders.map(({ node }) => node))).toEqual([
      ['a'],
      ['b'],
    ]);
    orders.release();
    stock.release();
    for (const each of [a, b, c]) await each.close();
  });
});

// Journals of locks that begin the next file at a size.

it('is rotated by size; conform joins the pieces, and misses one that is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rotated-'));
  const network = memoryNetwork(['a', 'b']);
  const nodes = ['a', 'b'].map((self) => {
    const journal = fileJournal(folder, self, { rotateAfter: 400, flushAfter: 1 });
    return lock(lamport, { self, nodes: ['a', 'b'], transport: network.transport(self), journal });
  });
  for (let entry = 0; entry < 6 || !readdirSync(folder).includes('a.1+3.journal'); entry++) {
    await nodes[entry % 2]?.run(() => {});
    await sleep(5);
  }
  await Promise.all(nodes.map((node) => node.close()));
  const names = readdirSync(folder);
  expect(names).toEqual(
    expect.arrayContaining(['a.1.journal', 'a.1+2.journal', 'a.1+3.journal', 'b.1.journal']),
  );
  const sources = names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  const { verdict, complaints, steps } = conform(lamport, complete(['a', 'b']), sources);
  expect([verdict, complaints, steps > 20]).toEqual(['conforms', [], true]);
  const without = (gone: string) => () =>
    conform(
      lamport,
      complete(['a', 'b']),
      sources.filter(({ name }) => name !== gone),
    );
  expect(without('a.1+2.journal')).toThrow(/is there, but a\.1\+2\.journal before it is not/);
  expect(without('a.1.journal')).toThrow(/is there, but a\.1\.journal before it is not/);
  expect(() => fileJournal(folder, 'a', { rotateAfter: 0 })).toThrow('rotateAfter');
});
