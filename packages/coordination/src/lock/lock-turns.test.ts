/**
 * A program that enters again and again goes on otherwise, too: its timers fire, and its peers have
 * their turn.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { acyclicGraph } from '@conclave/algorithms/acyclic-graph';
import { echoToken } from '@conclave/algorithms/echo-token';
import { naimiTrehel } from '@conclave/algorithms/naimi-trehel';
import { raymond } from '@conclave/algorithms/raymond';
import { ricartAgrawala83 } from '@conclave/algorithms/ricart-agrawala-83';
import { suzukiKasami } from '@conclave/algorithms/suzuki-kasami';
import { treeToken } from '@conclave/algorithms/tree-token';
import { memoryNetwork } from '@conclave/core/embedding';
import { describe, expect, it } from 'vitest';
import { lock } from './lock.js';
import { locks } from './locks.js';

const two = () => {
  // as a socket, it waits for the event loop
  const network = memoryNetwork(['a', 'b'], { schedule: (deliver) => setImmediate(deliver) });
  return ['a', 'b'].map((self) => ({
    self,
    nodes: ['a', 'b'],
    transport: network.transport(self),
  })) as [Options, Options];
};
type Options = {
  self: string;
  nodes: string[];
  transport: ReturnType<ReturnType<typeof memoryNetwork>['transport']>;
};

describe('a lock in bunches', () => {
  it.each([
    ['naimi-trehel', naimiTrehel({ greedy: 3 })],
    ['raymond', raymond({ greedy: 3 })],
    ['acyclic-graph', acyclicGraph({ greedy: 3 })],
    ['echo-token', echoToken({ greedy: 3 })],
    ['suzuki-kasami', suzukiKasami({ greedy: 3 })],
    ['tree-token', treeToken({ greedy: 3 })],
    ['ricart-agrawala-83', ricartAgrawala83({ greedy: 3 })],
  ])('hands over where it is closed as soon as it was left: %s', async (_, protocol) => {
    const [atA, atB] = two();
    const [a, b] = [lock(protocol, atA), lock(protocol, atB)];
    await b.run(() => {}); // both are admitted
    const held = await a.acquire();
    const waiting = b.acquire({ waitFor: 60_000 });
    for (let turns = 0; turns < 100; turns++) await nextTurn(); // its request is at the other node
    held.release();
    await a.close();
    (await waiting).release();
    await b.close();
  });
});

describe('entries that need no message', () => {
  it('let the timers of the program fire', async () => {
    const [{ ...options }] = two();
    const a = lock(naimiTrehel(), options);
    let fired = false;
    setTimeout(() => (fired = true), 1);
    let entries = 0;
    for (; !fired && entries < 1e6; entries++) await a.run(() => {});
    expect(fired).toBe(true);
    await a.close();
  });

  it('give way to a node that waits, after a bounded number of them', async () => {
    const [atA, atB] = two();
    const [a, b] = [lock(naimiTrehel(), atA), lock(naimiTrehel(), atB)];
    const order: string[] = [];
    const enter = async (who: 'a' | 'b', times: number) => {
      for (let left = times; left > 0; left--)
        await (who === 'a' ? a : b).run(() => order.push(who));
    };
    await enter('a', 1);
    await Promise.all([enter('a', 500), enter('b', 20)]);
    // Between its request and its entry are the turns of two messages, each with 16 entries of the
    // other node at most.
    const runs = order
      .slice(0, order.lastIndexOf('b'))
      .join('')
      .split('b')
      .map(({ length }) => length);
    expect(order.filter((who) => who === 'b')).toHaveLength(20);
    expect(Math.max(...runs)).toBeLessThanOrEqual(3 * 16);
    await Promise.all([a.close(), b.close()]);
  });

  it('of several calls and several names are counted together', async () => {
    const [atA, atB] = two();
    const [a, b] = [atA, atB].map((options) => locks({ ...options, protocol: naimiTrehel() }));
    let turned = false;
    setImmediate(() => (turned = true));
    let before = 0;
    const enter = () => {
      if (!turned) before++;
    };
    await Promise.all(
      ['x', 'y'].flatMap((name) => Array.from({ length: 30 }, () => a?.open(name).run(enter))),
    );
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThanOrEqual(16);
    await Promise.all([a?.close(), b?.close()]);
  });

  it('have their time from the turn on, where they are tried', async () => {
    const [atA] = two();
    const a = lock(naimiTrehel(), atA);
    for (let entries = 0; entries < 100; entries++) {
      const held = await a.tryAcquire({ waitFor: 0 });
      expect(held).toBeDefined();
      held?.release();
    }
    await a.close();
  });
});
