/** Protocols for local exclusion as locks. */
import { setImmediate as turn } from 'node:timers/promises';
import { appointments } from '@conclave/algorithms/appointments';
import { diningPhilosophers } from '@conclave/algorithms/dining-philosophers';
import { memoryNetwork } from '@conclave/core/embedding';
import { chain, ring, topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { lock } from './lock.js';

describe('a lock by local exclusion', () => {
  it('is had by two nodes that are not neighbours at once, and not by two neighbours', async () => {
    const line = chain(3);
    const network = memoryNetwork(line, { order: 'any', schedule: setImmediate });
    const [a, b, c] = line.nodes.map((self) =>
      lock(diningPhilosophers, { self, topology: line, transport: network.transport(self) }),
    );
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
    const square = topology('edges:a,b,c,d,a-c,c-b,b-d,d-a');
    const network = memoryNetwork(square, { order: 'any', schedule: setImmediate });
    const nodes = square.nodes.map((self) =>
      lock(diningPhilosophers, { self, topology: square, transport: network.transport(self) }),
    );
    const inside = new Set<string>();
    const largest = new Map<string, number>();
    let most = 0;
    await Promise.all(
      nodes.flatMap((each) =>
        Array.from({ length: 10 }, () =>
          each.run(async ({ fencingToken = 0, fencingCondition }) => {
            expect(fencingCondition).toMatch(/among a node and its neighbours/);
            for (const id of square.successors(each.id)) {
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

  it('takes the participants of an appointment as its claim', async () => {
    const line = chain(3);
    const network = memoryNetwork(line);
    const transports = line.nodes.map((self) => network.transport(self));
    const of = (node: number, claim: object) => {
      const [self, transport] = [line.nodes[node], transports[node]];
      if (!self || !transport) throw new Error('unreachable: there are three');
      return lock(appointments, { self, topology: line, transport, claim: { ...claim } });
    };
    expect(() => of(0, {})).toThrow(
      'The claim has (), but acquire of Appointments among several participants takes (with).',
    );
    const [a, b, c] = [of(0, { with: ['b'] }), of(1, { with: [] }), of(2, { with: [] })];
    const held = await a.acquire();
    await c.run(() => {});
    await expect(b.acquire({ waitFor: 20 })).rejects.toThrow(
      'Node b did not get the lock within 20 ms',
    );
    held.release();
    await b.run(() => {});
    for (const each of [a, b, c]) await each.close();
  });

  it('names the neighbours whose forks are missing when a wait takes too long', async () => {
    const round = ring(3, { oneWay: false });
    const network = memoryNetwork(round);
    const [a, b] = round.nodes.map((self) =>
      lock(diningPhilosophers, { self, topology: round, transport: network.transport(self) }),
    );
    const held = await a?.acquire();
    await expect(b?.acquire({ waitFor: 20 })).rejects.toThrow(
      'Node b did not get the lock within 20 ms: it waits for a. Wait longer',
    );
    held?.release();
  });
});
