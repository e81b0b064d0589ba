/** Protocols for local exclusion behind the facade of locks. */
import { setImmediate as turn } from 'node:timers/promises';
import { memoryNetwork } from '@conclave/core/embedding';
import { chain, ring, topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { lock } from '../mutual-exclusion/lock.js';
import { diningPhilosophers } from './dining-philosophers/protocol.js';

describe('a lock by local exclusion', () => {
  it('is had by two nodes that are not neighbours at once, and not by two neighbours', async () => {
    const line = chain(3);
    const network = memoryNetwork(line, { order: 'any', schedule: setImmediate });
    const [a, b, c] = line.nodes.map((self) => lock(diningPhilosophers, { self, topology: line, transport: network.transport(self) }));
    if (!a || !b || !c) throw new Error('unreachable: three were made');
    const [first, last] = await Promise.all([a.acquire(), c.acquire()]);
    let middle = false;
    const waiting = b.run(() => (middle = true));
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(middle).toBe(false);
    first.release();
    for (let turns = 0; turns < 20; turns++) await turn();
    expect(middle).toBe(false);
    last.release();
    expect(await waiting).toBe(true);
    for (const each of [a, b, c]) await each.close();
  });

  it('gives of two neighbours the later one the larger fencing token, under the condition beside it', async () => {
    const five = topology('edges:a-b,b-c,c-d,d-e,a-e');
    const network = memoryNetwork(five, { order: 'any', schedule: setImmediate });
    const nodes = five.nodes.map((self) => lock(diningPhilosophers, { self, topology: five, transport: network.transport(self) }));
    const inside = new Set<string>();
    const largest = new Map<string, number>();
    let most = 0;
    await Promise.all(
      nodes.flatMap((each) =>
        Array.from({ length: 10 }, () =>
          each.run(async ({ fencingToken = 0, fencingCondition }) => {
            expect(fencingCondition).toMatch(/among a node and its neighbours/);
            for (const id of five.successors(each.id)) {
              expect(inside.has(id)).toBe(false);
              expect(fencingToken).toBeGreaterThan(largest.get(id) ?? 0);
            }
            expect(fencingToken).toBeGreaterThan(largest.get(each.id) ?? 0);
            largest.set(each.id, fencingToken);
            inside.add(each.id);
            most = Math.max(most, inside.size);
            for (let turns = 0; turns < 5; turns++) await turn();
            inside.delete(each.id);
          }),
        ),
      ),
    );
    for (const each of nodes) await each.close();
    expect(most).toBe(2);
  });

  it('names the neighbours whose forks are missing when a wait takes too long', async () => {
    const round = ring(3, { oneWay: false });
    const network = memoryNetwork(round);
    const [a, b] = round.nodes.map((self) => lock(diningPhilosophers, { self, topology: round, transport: network.transport(self) }));
    const held = await a?.acquire();
    await expect(b?.acquire({ waitFor: 20 })).rejects.toThrow('Node b did not get the lock within 20 ms: it waits for a. Wait longer');
    held?.release();
  });
});
