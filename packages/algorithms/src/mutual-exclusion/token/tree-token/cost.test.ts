import { explore } from '@conclave/core/exploration';
import { costOf } from '@conclave/core/internal/protocol';
import { randomTree, shortestPaths } from '@conclave/core/internal/topology';
import { atMost } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { chain, star } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { treeToken } from './protocol.js';

const protocol = treeToken();

describe('tree-token cost', () => {
  proof.each([
    [chain(2), { commands: 2 }, 1],
    [chain(3), { commands: 2 }, 2],
    [star(4), { commands: 1, initiators: ['b', 'c', 'd'] }, 2],
  ] as const)(
    'in every interleaving: at most n−1 searches per entry, and as many tokens as the longest path has edges: $spec',
    (topology, budget, longest) => {
      const n = topology.nodes.length;
      const searches = atMost(n - 1, { per: 'acquire', of: ['search'] });
      const fewer = atMost(n - 2, { per: 'acquire', of: ['search'] });
      const all = atMost(2 * (n - 1), { per: 'acquire' });
      const tokens = atMost(longest, { per: 'acquire', of: ['token'] });
      const { complete, properties } = explore(protocol, topology, {
        ...budget,
        properties: [searches, tokens, all, fewer],
      });
      expect(complete).toBe(true);
      expect(costOf(protocol, n)).toEqual(all);
      expect(properties.slice(0, 4).map(({ verdict }) => verdict)).toEqual([
        'holds',
        'holds',
        'holds',
        'violated',
      ]);
    },
  );

  const loads = [
    ['heavy', closedLoop({ entries: 5, think: { kind: 'fixed', ms: 0 } })],
    ['light', poisson({ mean: 10_000, entries: 5 })],
  ] as const;

  proof.each(loads)(
    '%s load: exactly n−1 searches where the token is elsewhere, none where it is, and a token for each edge between entries',
    (_load, workload) => {
      for (let n = 2; n <= 20; n += 3) {
        const topology = randomTree(n, n);
        const run = (order: 'fifo' | 'any') =>
          simulate({
            protocol,
            topology,
            workload,
            conditions: { order, delay: { kind: 'uniform', least: 1, most: 30 } },
          });
        const { messages, exclusion } = run('fifo');
        const waited = exclusion.entries.filter(
          ({ requestedAt, enteredAt }) => enteredAt > requestedAt,
        ).length;
        expect(exclusion.entries).toHaveLength(5 * n);
        expect(messages.search).toBe((n - 1) * waited);
        const places = [
          ...topology.nodes.slice(0, 1),
          ...exclusion.entries.map(({ node }) => node),
        ];
        const distances = places
          .slice(1)
          .map((to, place) => shortestPaths(topology, places[place] ?? to).get(to)?.distance ?? 0);
        expect(messages.token).toBe(distances.reduce((sum, distance) => sum + distance, 0));
        const overtaking = run('any');
        const waitedThen = overtaking.exclusion.entries.filter(
          ({ requestedAt, enteredAt }) => enteredAt > requestedAt,
        ).length;
        expect(overtaking.messages.search).toBeLessThanOrEqual((n - 1) * waitedThen);
      }
    },
  );
});
