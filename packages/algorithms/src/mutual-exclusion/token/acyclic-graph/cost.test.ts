import { readFileSync } from 'node:fs';
import { explore } from '@conclave/core/exploration';
import { randomGraph, shortestPaths } from '@conclave/core/internal/topology';
import { atMost, type Protocol } from '@conclave/core/protocol';
import {
  closedLoop,
  poisson,
  simulate,
  totalMessages,
  type Workload,
} from '@conclave/core/simulation';
import { complete, grid, hypercube, ring, type Topology, topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { failing } from '../../../contract/findings.js';
import { harmonic } from '../../../contract/fit.js';
import { connectedGraphs } from '../building-blocks/connected-graphs.contract.js';
import { orientedTowards } from '../building-blocks/edge-orientation.js';
import { labelledGraphs } from '../building-blocks/labelled-graphs.contract.js';
import { raymond } from '../raymond/protocol.js';
import { acyclicGraph } from './protocol.js';

const wild = { order: 'any', delay: { kind: 'uniform', least: 1, most: 20 } } as const;
const light = poisson({ mean: 1_000_000, entries: 10, hold: { kind: 'fixed', ms: 1 } });
const heavy = closedLoop({ entries: 10, think: { kind: 'fixed', ms: 0 } });

/** The tree of the first edges of the nodes of `network`, with its nodes in the same order. */
function firstEdges(network: Topology): Topology {
  const edges = [...orientedTowards(network, network.nodes[0] ?? '')].flatMap(([id, [first]]) =>
    first === undefined ? [] : [`${id}-${first}`],
  );
  return topology(`edges:${[...network.nodes, ...edges].join(',')}`);
}

describe('acyclic-graph cost', () => {
  proof.each([
    ['travelled', 0],
    ['numbered', 1],
    ['acknowledged', 2],
  ] as const)(
    '%s: at most 2(n−1) requests and tokens per entry, and %i messages for each of e−n+1 edges, in every interleaving',
    (reversal, each) => {
      const protocol = acyclicGraph({ startUp: 'given', reversal });
      for (const [graphs, commands] of [
        [labelledGraphs(3), 2],
        [connectedGraphs(4), 1],
      ] as const)
        for (const graph of graphs) {
          const n = graph.nodes.length;
          const spare = graph.links.length / 2 - n + 1;
          const path = atMost(2 * (n - 1), { per: 'acquire', of: ['request', 'token'] });
          const news =
            each === 0
              ? []
              : [
                  atMost(each * spare, {
                    per: 'acquire',
                    of: ['reversed', 'acknowledged'].slice(0, each),
                  }),
                ];
          const found = explore(protocol, graph, { commands, properties: [path, ...news] });
          expect(found.complete).toBe(true);
          expect(failing(found)).toEqual([]);
        }
      const less = atMost(4 + each - 1, { per: 'acquire' });
      expect(
        explore(protocol, complete(3), { commands: 2, properties: [less] }).properties[0]?.verdict,
      ).toBe('violated');
    },
  );

  proof(
    'travelled is Raymond’s algorithm on the tree of the first edges: as many states, and the same runs',
    () => {
      for (const graph of [...labelledGraphs(2), ...labelledGraphs(3), ...connectedGraphs(4)]) {
        const counts = [
          explore(acyclicGraph({ startUp: 'given' }), graph),
          explore(raymond(), firstEdges(graph)),
        ].map(({ states, transitions, depth }) => ({ states, transitions, depth }));
        expect(counts[0]).toEqual(counts[1]);
      }
      for (const network of [
        complete(8),
        grid(3, 3),
        ring(9, { oneWay: false }),
        hypercube(3),
        randomGraph(20, 0.2, 7),
      ])
        for (let seed = 1; seed <= 3; seed++) {
          const run = (protocol: Protocol, on: Topology) => {
            const { messages, exclusion } = simulate({
              protocol,
              topology: on,
              seed,
              conditions: wild,
              workload: closedLoop({ entries: 5 }),
            });
            return { messages, entries: exclusion.entries };
          };
          expect(run(acyclicGraph({ startUp: 'given' }), network)).toEqual(
            run(raymond(), firstEdges(network)),
          );
        }
    },
  );

  proof(
    'on a complete graph a path over random edges has H(n−1)·n/(n−1) − 1 hops on average, within 10 %',
    () => {
      const n = 16;
      const { messages, exclusion } = simulate({
        protocol: acyclicGraph({ startUp: 'given', reversal: 'acknowledged', edge: 'any' }),
        topology: complete(n),
        workload: poisson({ mean: 1_000_000, entries: 60, hold: { kind: 'fixed', ms: 1 } }),
      });
      const elsewhere = (exclusion.entries.length * (n - 1)) / n;
      const ratio = (messages.token ?? 0) / elsewhere / ((n * harmonic(n - 1)) / (n - 1) - 1);
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.1);
    },
  );

  proof('compares the reversals under light and heavy load', () => {
    const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
    for (const network of [
      complete(16),
      grid(5, 5),
      ring(16, { oneWay: false }),
      randomGraph(32, 0.1, 1),
    ]) {
      const distances = network.nodes.flatMap((from) =>
        [...shortestPaths(network, from).values()].map(({ distance }) => distance),
      );
      const apart = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
      for (const [load, workload] of Object.entries<Workload>({ light, heavy })) {
        const cells = (['travelled', 'numbered', 'acknowledged'] as const).map((reversal) => {
          const result = simulate({
            protocol: acyclicGraph({ startUp: 'given', reversal }),
            topology: network,
            workload,
            conditions: wild,
          });
          const { entries, synchronisationDelay = 0 } = result.exclusion;
          const perEntry = (count: number) => (count / entries.length).toFixed(2);
          const delay = load === 'heavy' ? `, ${synchronisationDelay.toFixed(0)} ms` : '';
          return `${perEntry(totalMessages(result))} (${perEntry(result.messages.token ?? 0)}${delay})`;
        });
        expect(page).toContain(
          `| \`${network.spec}\` | ${apart.toFixed(2)} | ${load} | ${cells.join(' | ')} |`,
        );
      }
    }
  });
});
