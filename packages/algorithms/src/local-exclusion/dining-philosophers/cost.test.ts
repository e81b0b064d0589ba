import { explore } from '@conclave/core/exploration';
import { costOf } from '@conclave/core/internal/protocol';
import { randomGraph } from '@conclave/core/internal/topology';
import { atMost, type NodeId } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import {
  chain,
  complete,
  grid,
  ring,
  star,
  type Topology,
  topology,
} from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { diningPhilosophers } from './protocol.js';

describe('dining-philosophers cost', () => {
  it.each([
    [chain(2), 1, 2, 2],
    [complete(3), 2, 2, 3],
    [ring(4, { oneWay: false }), 2, 1, 3],
  ] as const)(
    '[DP1] [DP2] [DP6] is at most 2d messages per entry, and no less, in every interleaving: %o',
    (topology, d, commands, steps) => {
      const bounds = [
        atMost(2 * d, { per: 'acquire' }),
        atMost(d, { per: 'acquire', of: ['request'] }),
        atMost(d, { per: 'acquire', of: ['fork'] }),
      ];
      const found = explore(diningPhilosophers, topology, {
        commands,
        properties: [...bounds, atMost(2 * d - 1, { per: 'acquire' })],
      });
      expect(found.complete).toBe(true);
      expect(found.properties.slice(0, 4).map(({ verdict }) => verdict)).toEqual([
        'holds',
        'holds',
        'holds',
        'violated',
      ]);
      expect(costOf(diningPhilosophers, topology.nodes.length, topology)).toEqual(bounds[0]);
      const { trace } = found.properties[3] ?? {};
      expect(trace?.lines).toHaveLength(steps);
      expect(trace && replay(diningPhilosophers, topology, trace)).toEqual({ steps });
    },
  );

  /**
   * A node that enters alone needs the forks of the neighbours that entered after it did, or at
   * first, of those that come before it.
   */
  function alone(topology: Topology, entries: readonly NodeId[]): number {
    const last = new Map(topology.nodes.map((id, place) => [id, -place]));
    let messages = 0;
    for (const [index, id] of entries.entries()) {
      const own = last.get(id) ?? 0;
      messages +=
        2 * topology.successors(id).filter((other) => (last.get(other) ?? 0) > own).length;
      last.set(id, index + 1);
    }
    return messages;
  }

  it.each([chain(8), star(9), grid(3, 4), complete(12), randomGraph(20, 0.2, 1)])(
    'at light load is exactly a request and a fork for each neighbour that entered since the last own entry: %o',
    (topology) => {
      const n = topology.nodes.length;
      const result = simulate({
        protocol: diningPhilosophers,
        topology,
        properties: [],
        workload: poisson({ mean: 1_000_000 * n, entries: 10, hold: { kind: 'fixed', ms: 1 } }),
      });
      const entries = result.exclusion.entries.map(({ node }) => node);
      expect(entries).toHaveLength(10 * n);
      expect(totalMessages(result)).toBe(alone(topology, entries));
    },
  );

  proof(
    'at heavy load is 2d on a complete network: all others enter between two entries of a node',
    () => {
      for (const n of [3, 6, 12]) {
        const result = simulate({
          protocol: diningPhilosophers,
          topology: complete(n),
          properties: [],
          workload: closedLoop({ entries: 50, think: { kind: 'fixed', ms: 0 } }),
        });
        const perEntry = totalMessages(result) / result.exclusion.entries.length;
        expect(perEntry / (2 * (n - 1))).toBeGreaterThan(0.95);
        expect(perEntry).toBeLessThanOrEqual(2 * (n - 1));
      }
    },
  );

  it.each([
    [
      'each next to the one before it: one node at a time',
      'edges:a,b,c,d,e,f,a-b,b-c,c-d,d-e,e-f,f-a',
      1,
    ],
    ['the first three apart: three at once', 'edges:a,b,c,d,e,f,a-d,d-b,b-e,e-c,c-f,f-a', 3],
  ])(
    'at heavy load on a ring of 6 the order of the nodes decides how many eat at once, %s',
    (_what, spec, atOnce) => {
      const { exclusion } = simulate({
        protocol: diningPhilosophers,
        topology: topology(spec),
        properties: [],
        workload: closedLoop({
          entries: 50,
          think: { kind: 'fixed', ms: 0 },
          hold: { kind: 'fixed', ms: 100 },
        }),
        conditions: { delay: { kind: 'fixed', ms: 1 } },
      });
      const stays = exclusion.entries.map(({ enteredAt }) => enteredAt);
      const most = Math.max(
        ...stays.map((at) => stays.filter((other) => other <= at && at < other + 100).length),
      );
      expect(most).toBe(atOnce);
    },
  );
});
