import { readFileSync } from 'node:fs';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { chain, complete, ring, type Topology, topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { expectTight, lineThrough } from '../../contract/cost.contract.js';
import {
  connectedGraphs,
  randomGraph,
  randomTree,
  shuffledRing,
} from '../../contract/networks.contract.js';
import { conditionsFor, fault } from '../../contract/sweep.contract.js';
import { decision } from '../election.js';
import { extinction } from '../extinction/protocol.js';
import { gallagerHumbletSpira } from '../gallager-humblet-spira/protocol.js';
import { adoption } from './protocol.js';

const edgesOf = ({ links }: Topology) => links.length / 2;

/** Its own properties look at all nodes after each step, which takes long on large networks. */
const measured = { ...adoption, properties: decision };

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('the cost of adoption', () => {
  const run = (
    topology: Topology,
    seed: number,
    nodes = topology.nodes,
    conditions = conditionsFor(adoption).at(-2) ?? {},
  ) => {
    const result = simulate({
      protocol: measured,
      topology,
      conditions,
      seed,
      workload: oneShot({ type: 'elect' }, { nodes }),
    });
    expect(fault(result)).toBeUndefined();
    return { total: totalMessages(result), messages: result.messages };
  };

  proof(
    'is 2e + n − 1 for one initiator, in every interleaving on all graphs of up to 4 nodes',
    () => {
      for (const n of [2, 3, 4])
        for (const topology of connectedGraphs(n)) {
          const cost = 2 * edgesOf(topology) + n - 1;
          const initiators = topology.nodes.slice(0, 1);
          expectTight(adoption, topology, { initiators }, cost, 'elect');
        }
    },
  );

  proof(
    'is 4(n − 1) on a chain and 5n − 3 on a two-way ring if the ids rise and all nodes start, whatever the delays',
    () => {
      for (let n = 3; n <= 60; n += 19)
        for (const [seed, conditions] of conditionsFor(adoption).entries()) {
          expect(run(chain(n), seed, undefined, conditions).total).toBe(4 * (n - 1));
          expect(run(ring(n, { oneWay: false }), seed, undefined, conditions).total).toBe(
            5 * n - 3,
          );
        }
    },
  );

  proof(
    'is about 5 messages for each edge on random trees if all nodes start; on shuffled two-way rings 5.1 for 8 nodes and 7.2 for 64',
    () => {
      const perEdge = (make: (seed: number) => Topology) => {
        const topologies = Array.from({ length: 12 }, (_, seed) => make(seed));
        const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0);
        return (
          sum(topologies.map((topology, seed) => run(topology, seed).total)) /
          sum(topologies.map(edgesOf))
        );
      };
      for (const [n, least, most] of [
        [8, 4.8, 5.5],
        [64, 6.5, 7.9],
      ] as const) {
        const [onTrees, onRings] = [
          perEdge((seed) => randomTree(n, seed)),
          perEdge((seed) => shuffledRing(n, seed, { oneWay: false })),
        ];
        expect(onTrees).toBeGreaterThan(4);
        expect(onTrees).toBeLessThan(5.5);
        expect(onRings).toBeGreaterThan(least);
        expect(onRings).toBeLessThan(most);
      }
    },
  );

  proof(
    'is at least 2e + n − 1 and at most (k + 1)e + n − 1 for k initiators on random graphs, with n − 1 echoes and announcements',
    () => {
      for (let seed = 1; seed <= 60; seed++) {
        const n = 4 + (seed % 12);
        const topology = randomGraph(n, 0.3, seed);
        const nodes = topology.nodes.filter((_, i) => i % (1 + (seed % 4)) === 0);
        const { total, messages } = run(topology, seed, nodes);
        expect(messages).toMatchObject({ echo: n - 1, elected: n - 1 });
        expect(total).toBeGreaterThanOrEqual(2 * edgesOf(topology) + n - 1);
        expect(total).toBeLessThanOrEqual((nodes.length + 1) * edgesOf(topology) + n - 1);
      }
    },
  );

  proof(
    'is linear in the number of edges on random and complete graphs if all nodes start: four to five explorers for each',
    () => {
      const slopeOf = (sizes: readonly number[], make: (n: number, seed: number) => Topology) => {
        const points = sizes.flatMap((n) =>
          [1, 2, 3].map((seed) => {
            const topology = make(n, seed);
            return { x: edgesOf(topology), y: run(topology, seed).total - 2 * (n - 1) };
          }),
        );
        const { slope, correlation } = lineThrough(points);
        expect(correlation).toBeGreaterThan(0.99);
        return slope;
      };
      for (const slope of [
        slopeOf([20, 40, 60], (n, seed) => randomGraph(n, 0.2, seed)),
        slopeOf([12, 24, 36], (n) => complete(n)),
      ]) {
        expect(slope).toBeGreaterThan(4);
        expect(slope).toBeLessThan(5);
      }
    },
  );

  proof(
    'is compared on the page with extinction on top of the echo algorithm, and with Gallager–Humblet–Spira',
    () => {
      const protocols = [adoption, extinction({ terminating: true }), gallagerHumbletSpira];
      const seeds = [1, 2, 3];
      for (const spec of [
        'chain:64',
        'random-tree:64:1',
        'two-way-ring:64:shuffled:1',
        'random:64:0.1:1',
        'complete:24',
      ]) {
        const graph = topology(spec);
        const means = protocols.map((protocol) => {
          const conditions = {
            order: 'fifo',
            delay: { kind: 'uniform', least: 1, most: 20 },
          } as const;
          const totals = seeds.map((seed) => {
            const result = simulate({
              protocol: { ...protocol, properties: decision },
              topology: graph,
              conditions,
              seed,
              workload: oneShot({ type: 'elect' }),
            });
            expect(fault(result)).toBeUndefined();
            return totalMessages(result);
          });
          return Math.round(
            totals.reduce((sum, total) => sum + total, 0) / seeds.length,
          ).toLocaleString('en');
        });
        expect(page).toContain(`| ${[`\`${spec}\``, edgesOf(graph), ...means].join(' | ')} |`);
      }
    },
  );
});
