import { once } from 'node:events';
import { proof } from '@conclave/tools/sample';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LockLost } from '../lock-held.js';
import { LeaseMemory, sharedLease } from './between-threads.js';
import { block, thread, threeNodes } from './threads.contract.js';
import { type WorkerHeld, type WorkerLock, workerLock } from './worker-lock.js';

/** The limit is longer than three leases. */
const [lease, stall] = [300, 1500];
let nodes: ReturnType<typeof threeNodes>;
let lock: WorkerLock;

beforeAll(async () => {
  nodes = threeNodes(lease);
  lock = await workerLock(nodes.serving, { stall });
});
afterAll(() => nodes.end());

/** On a machine that is too slow for the lease or the limit, once more. */
async function enter(node = lock): Promise<WorkerHeld> {
  for (;;)
    try {
      return await node.acquire();
    } catch (error) {
      if (!(error instanceof LockLost)) throw error;
    }
}

const entries = () => Atomics.load(nodes.cells, 0);

describe('while this thread has no turn of its event loop', () => {
  it('the lease of the worker is renewed, for three leases and more', async () => {
    for (;;) {
      const held = await enter();
      const before = entries();
      nodes.entering.postMessage('enter');
      const end = process.hrtime.bigint() + BigInt(3 * lease) * 1_000_000n;
      block(() => process.hrtime.bigint() > end || held.remaining === 0);
      const others = entries() - before;
      if (held.remaining === 0) continue; // the machine had no time for the worker
      expect(others).toBe(0);
      expect(held.signal.aborted).toBe(false);
      held.release();
      expect(held.remaining).toBe(0);
      block(() => entries() > before);
      break;
    }
    expect(entries()).toBeGreaterThan(0);
  });

  proof('the worker gives the lock back after the limit, and all threads know it', async () => {
    const held = await enter();
    const copy = held.signal;
    nodes.working?.postMessage(held.memory);
    nodes.entering.postMessage('enter');
    const before = entries();
    block(() => entries() > before && Atomics.load(nodes.cells, 1) > 0);
    // the same turn as above: no message of the worker has arrived
    expect(copy.aborted).toBe(false);
    expect(held.remaining).toBe(0);
    expect(copy.aborted).toBe(true);
    expect(held.signal.reason).toMatchObject({
      code: 'lost',
      reason: expect.stringMatching(/^(stalled|lease-expired)$/),
      node: 'a',
    });
    held.release();
    expect(await held.lost).toBe(copy.reason);
    const late = lock.run(() => {
      const earlier = entries(); // the other one may have entered first
      nodes.entering.postMessage('enter');
      block(() => entries() > earlier);
    });
    // or its lease has expired first, on a machine without time for the worker
    await expect(late).rejects.toMatchObject({
      code: 'lost',
      reason: expect.stringMatching(/^(stalled|lease-expired)$/),
    });
  });
});

describe('a lock in a worker', () => {
  it('has entries with growing tokens, and waits that end', async () => {
    expect(lock.id).toBe('a');
    const first = await enter();
    await expect(lock.acquire({ waitFor: 1 })).rejects.toMatchObject({ code: 'timed-out' });
    expect(await lock.tryAcquire()).toBeUndefined();
    const reason = new Error('no longer needed');
    const signal = AbortSignal.abort(reason);
    const abort = lock.acquire({ signal });
    await expect(abort).rejects.toMatchObject({ code: 'aborted', cause: reason });
    first.release();
    first.release();
    const second = await enter();
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken ?? Infinity);
    const leaving = lock.close();
    expect((await second.lost).reason).toBe('closed');
    await leaving;
    await expect(lock.acquire()).rejects.toMatchObject({ code: 'closed' });
  });

  it('is lost with its worker', async () => {
    const worker = thread('grants');
    const other = await workerLock(worker, { stall });
    const held = await enter(other);
    const exit = once(worker, 'exit');
    await worker.terminate();
    await exit;
    expect(held.signal.reason).toMatchObject({ reason: 'stopped' });
    await expect(other.acquire()).rejects.toThrow('The worker of the lock of node a has ended');
    await other.close();
  });

  it('is refused where it was lost before this thread has heard of it', async () => {
    const worker = thread('loses');
    const other = await workerLock(worker, { stall });
    await expect(other.acquire()).rejects.toMatchObject({ code: 'lost', reason: 'lease-expired' });
    await worker.terminate();
  });

  it('is refused where the worker fails at its start, and for a limit that makes no sense', async () => {
    const start = workerLock(thread('fails'), { stall });
    await expect(start).rejects.toMatchObject({
      code: 'closed',
      cause: expect.objectContaining({ message: 'no network' }),
    });
    for (const wrong of [9, Number.NaN])
      await expect(workerLock(nodes.serving, { stall: wrong })).rejects.toMatchObject({
        code: 'bad-input',
      });
    expect(() => sharedLease(new SharedArrayBuffer(4))).toThrow('not that of a lease');
  });
});

it('of two threads that end a lease, one does', () => {
  const one = LeaseMemory.begin(60_000);
  const two = new LeaseMemory(one.buffer);
  one.renew(Infinity);
  expect(two.remaining).toBeLessThanOrEqual(60_000);
  expect(two.remaining).toBeGreaterThan(0);
  expect([one.end('lease-expired'), two.release()]).toEqual([true, false]);
  expect([one.loss, two.loss, two.remaining]).toEqual(['lease-expired', 'lease-expired', 0]);

  const due = LeaseMemory.begin(60_000);
  due.renew(0);
  expect([due.remaining, due.loss]).toEqual([0, 'lease-expired']);
});
