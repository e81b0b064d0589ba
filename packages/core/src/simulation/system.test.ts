import { describe, expect, it } from 'vitest';
import { calls, centralLock } from '../protocol/examples.contract.js';
import type { SystemView } from '../protocol/property.js';
import { complete, star } from '../topology/generators.js';
import type { SimulationOptions } from './options.js';
import { Simulation } from './simulate.js';
import { closedLoop, type Workload } from './workload.js';

/** The counts of a system, and the same counted naively. */
function twice(system: SystemView, tags: readonly string[], field: string) {
  const live = system.nodes.filter(({ crashed }) => !crashed);
  const carrying = (tag: string) => live.filter((node) => node.tags.has(tag));
  const told = {
    live: system.live,
    ...Object.fromEntries(
      tags.map((tag) => [tag, [system.count(tag), system.tagged(tag).map(({ id }) => id)]]),
    ),
  };
  const counted = {
    live: live.length,
    ...Object.fromEntries(
      tags.map((tag) => [tag, [carrying(tag).length, carrying(tag).map(({ id }) => id)]]),
    ),
  };
  const distinct = tags.map((tag) => [...system.distinct(tag, field)].sort());
  const byHand = tags.map((tag) =>
    [...new Set(carrying(tag).map(({ context }) => context[field]))].sort(),
  );
  return [
    [told, distinct],
    [counted, byHand],
  ];
}

const again: Workload = ({ later, tell, nodes }) => {
  for (let count = 0; count < 20; count++)
    for (const { id } of nodes)
      later({ kind: 'fixed', ms: count * 50 }, () => tell(id, { type: 'call' }));
  return () => {};
};

describe('the running system', () => {
  it.each<[string, SimulationOptions, readonly string[], string]>([
    [
      'a lock',
      {
        protocol: centralLock,
        topology: star(6),
        workload: closedLoop({ entries: 4, nodes: ['b', 'c', 'd', 'e', 'f'] }),
      },
      ['waiting', 'critical'],
      'centre',
    ],
    [
      'callers that crash and come back',
      {
        protocol: calls,
        topology: complete(5),
        workload: again,
        conditions: { loss: 0.3, delay: { kind: 'uniform', least: 1, most: 9 } },
        faults: ['a', 'b', 'c', 'd'].map((node, index) => ({
          kind: 'crash',
          node,
          at: 101 + 60 * index,
          restartAfter: 80,
        })),
      },
      ['waiting'],
      'tries',
    ],
  ])(
    'has the same counts as a naive count, after each step of %s',
    (_name, options, tags, field) => {
      const simulation = new Simulation(options);
      let most = 0;
      let least = Infinity;
      simulation.snapshots$.subscribe(() => {
        const [told, counted] = twice(simulation.system, tags, field);
        expect(told).toEqual(counted);
        most = Math.max(most, simulation.system.count('waiting'));
        least = Math.min(least, simulation.system.live);
      });
      simulation.run();
      expect(most).toBeGreaterThan(2);
      expect(least).toBe(options.faults ? 3 : options.topology.nodes.length);
    },
  );

  it('lists the messages in flight', () => {
    const simulation = new Simulation({
      protocol: centralLock,
      topology: star(3),
      workload: closedLoop({ nodes: ['b', 'c'], think: { kind: 'fixed', ms: 0 } }),
    });
    const seen: string[] = [];
    const text = (type?: string) =>
      simulation.system
        .inFlight(type)
        .map(({ from, to, message }) => `${from}→${to} ${message.type}`)
        .sort()
        .join(', ');
    simulation.snapshots$.subscribe(() => seen.push(`${text()} | ${text('grant')}`));
    simulation.run();
    expect(seen.slice(3, 8)).toEqual([
      'b→a request | ',
      'b→a request, c→a request | ',
      'a→b grant, c→a request | a→b grant',
      'a→b grant | a→b grant',
      ' | ',
    ]);
  });

  it('has no nodes but its own', () => {
    const { system } = new Simulation({ protocol: calls, topology: complete(2) });
    expect(system.node('b').id).toBe('b');
    expect(() => system.node('z')).toThrow(
      expect.objectContaining({ code: 'bad-input', message: "The system has no node 'z'" }),
    );
    expect(system.count('nothing')).toBe(0);
    expect(system.tagged('nothing')).toEqual([]);
  });
});
