import { memoryNetwork, memoryStorage } from '@conclave/core/embedding';
import type { Protocol } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { lamport } from '../../mutual-exclusion/permission/lamport/protocol.js';
import { leasedMajority } from '../../mutual-exclusion/permission/leased-majority/protocol.js';
import { ricartAgrawala } from '../../mutual-exclusion/permission/ricart-agrawala/protocol.js';
import { naimiTrehel } from '../../mutual-exclusion/token/naimi-trehel/protocol.js';
import { suzukiKasami } from '../../mutual-exclusion/token/suzuki-kasami/protocol.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { lock } from './lock.js';
import { locks } from './lock-choice.js';
import type { Holders } from './lock-holders.js';

const ids = ['a', 'b', 'c'] as const;

const shown = ({ holders, waiting }: Holders) =>
  [holders, waiting].map((some) => some.map(({ node, ms }) => `${node} ${ms}`).join(', '));

inVirtualTime();

/** a has the lock for 30 ms, b waits for 20 ms, c for 10 ms: what each knows. */
async function known(protocol: Protocol) {
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
    const { all, after } = await known(protocol);
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
