import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { naimiTrehel } from '@conclave/algorithms/naimi-trehel';
import { memoryNetwork } from '@conclave/core/embedding';
import { describe, expect, it } from 'vitest';
import { refusal } from '../election/elections.contract.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { lock } from './lock.js';
import { lock as chosen } from './lock-choice.js';

const ids = ['a', 'b', 'c'];

inVirtualTime();

function three(mute = new Set<string>()) {
  const network = memoryNetwork(ids);
  const [a, b, c] = ids.map((self) => {
    const transport = network.transport(self);
    const send: typeof transport.send = (to, message) => {
      if (!mute.has(self) && !mute.has(to)) transport.send(to, message);
    };
    const own = { self, peers: ids, transport: { ...transport, send } };
    return chosen({ tolerate: 'crash', ...own });
  });
  if (!a || !b || !c) throw new Error('unreachable: three were made');
  return { a, b, c };
}

describe('revoke', () => {
  it('takes the lock from its holder, which learns why; the next one goes on', async () => {
    const { a, b, c } = three();
    const held = await a.acquire();
    const next = b.acquire();
    await pass(10);
    const floor = c.revoke('maintenance');
    const { fencingToken = 0 } = await next;
    expect(held.signal.reason).toMatchObject({
      code: 'lost',
      reason: 'revoked',
      message:
        'Node a has lost the lock: it was revoked, "maintenance". Stop the work in the critical section.',
    });
    expect(floor).toBeGreaterThan(held.fencingToken ?? Infinity);
    expect(fencingToken).toBeGreaterThanOrEqual(floor ?? Infinity);
    expect(a.metrics.lost).toEqual({ revoked: 1 });
    for (const each of [a, b, c]) await each.close();
  });

  it('reaches a holder through the voters, and does not renew the lease of one that hears nothing', async () => {
    const mute = new Set<string>();
    const { a, b, c } = three(mute);
    const run = refusal(a.run(({ lost }) => lost));
    await pass(10);
    mute.add('c');
    c.revoke('nobody hears'); // only its own voter knows
    mute.delete('c');
    await pass(2500); // a renewal
    expect(await run).toMatchObject({ code: 'lost', reason: 'revoked' });
    const held = await a.acquire();
    mute.add('a');
    b.revoke('a hears nothing');
    await pass(10_500);
    expect(held.signal.reason).toMatchObject({ reason: 'lease-expired' });
    for (const each of [a, b, c]) await each.close();
  });

  it('needs a protocol that has it, a reason, and an open lock', async () => {
    const made = (protocol: Parameters<typeof lock>[0]) =>
      lock(protocol, { self: 'a', peers: ids, transport: memoryNetwork(ids).transport('a') });
    const plain = made(naimiTrehel());
    expect(() => plain.revoke('by hand')).toThrow('does not take the lock away');
    const revocable = made(leasedMajority({ revoke: true }));
    expect(() => Reflect.apply(revocable.revoke, revocable, [])).toThrow('revoke has no reason');
    await revocable.close();
    expect(() => revocable.revoke('by hand')).toThrow('is closed');
    await plain.close();
  });
});
