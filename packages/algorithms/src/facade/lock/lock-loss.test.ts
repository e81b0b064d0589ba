/** A lock that is lost while a call has it: who is told, when, and what the calls after it get. */

import { memoryNetwork } from '@conclave/core/embedding';
import { handStepped } from '@conclave/core/internal/embedding';
import type { ConclaveError } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { heartbeat } from '../../detectors/heartbeat/protocol.js';
import { expiring } from '../../mutual-exclusion/expiring.contract.js';
import { groupLock } from '../../mutual-exclusion/group/group-lock/protocol.js';
import { ricartAgrawala } from '../../mutual-exclusion/permission/ricart-agrawala/protocol.js';
import { lock } from './lock.js';
import { LockLost } from './lock-held.js';

/** A lock of one node, and a function that ends its lease. */
function lone(reason: string | null = 'lease-expired') {
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
    const { a, expire, lines } = lone();
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
    const { a, expire } = lone('');
    const silent = lone(null);
    const held = await a.acquire();
    expire();
    expect(held.signal.reason).toMatchObject({ reason: '' });
    const other = await silent.a.acquire();
    silent.expire();
    expect(other.signal.reason).toMatchObject({ reason: 'revoked' });
  });

  it('is not given back by its old holder, and goes to the next call', async () => {
    const { a, expire } = lone();
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
    const { a, expire } = lone();
    const order: string[] = [];
    const first = await a.acquire();
    first.signal.addEventListener('abort', () => order.push(`lost, ${a.metrics.acquired} entry`));
    const waiting = a.acquire().then(() => order.push(`${a.metrics.acquired} entries`));
    expire();
    await waiting;
    expect(order).toEqual(['lost, 1 entry', '2 entries']);
  });

  it('makes an error of run, also where its work ended well', async () => {
    const { a, expire } = lone();
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
    const { a } = lone();
    const held = await a.acquire();
    held.release();
    expect(await a.run((inner) => inner.release())).toBeUndefined();
    await a.close();
    expect(held.signal.aborted).toBe(false);
    expect(a.metrics).toMatchObject({ released: 2, lost: {} });
  });

  it('by its own close', async () => {
    const { a } = lone();
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
