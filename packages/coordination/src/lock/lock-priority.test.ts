import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { memoryNetwork } from '@conclave/core/embedding';
import { expect, it } from 'vitest';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { lock } from './lock.js';

const ids = ['a', 'b', 'c'];

inVirtualTime();

it('a lock with a higher priority is served first, with a larger token than the one before', async () => {
  const network = memoryNetwork(ids);
  const [a, b, c] = ids.map((self, priority) =>
    lock(leasedMajority({ priority: true, revoke: true, cancel: true }), {
      ...{ self, peers: ids, transport: network.transport(self) },
      claim: { priority },
    }),
  );
  if (!a || !b || !c) throw new Error('unreachable: three were made');
  const order: string[] = [];
  const tokens: number[] = [];
  const enter = (name: string, of: typeof a) =>
    of.run(({ fencingToken = 0 }) => {
      order.push(name);
      tokens.push(fencingToken);
    });
  const held = await b.acquire();
  const first = enter('a', a);
  await pass(10);
  const second = enter('c', c);
  await pass(10);
  held.release();
  await Promise.all([first, second]);
  expect(order).toEqual(['c', 'a']);
  expect(tokens[1]).toBeGreaterThan(tokens[0] ?? Infinity);
  for (const each of [a, b, c]) await each.close();
});
