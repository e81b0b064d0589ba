import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { shortestPaths } from '@conclave/core/internal';
import {
  always,
  atMost,
  type NodeId,
  type NodeView,
  type Protocol,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import {
  closedLoop,
  poisson,
  simulate,
  totalMessages,
  type Workload,
} from '@conclave/core/simulation';
import {
  chain,
  complete,
  grid,
  hypercube,
  ring,
  type Topology,
  topology,
} from '@conclave/core/topology';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { allGraphs } from '../../../checks/networks.js';
import { harmonic } from '../../../contract/cost.contract.js';
import { everyInterleaving } from '../../../contract/explored.contract.js';
import { failing } from '../../../contract/findings.contract.js';
import { withMachine, withoutSteps } from '../../../contract/machines.contract.js';
import {
  connectedGraphs,
  type Parents,
  randomGraph,
  spanningTrees,
} from '../../../contract/networks.contract.js';
import { sharedContract } from '../../../contract/shared.contract.js';
import { conditionsFor, seedsTo, sweep } from '../../../contract/sweep.contract.js';
import { outcomeOf } from '../../outcome.contract.js';
import { orientedTowards } from '../building-blocks/edge-orientation.js';
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
        [allGraphs(3), 2],
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
      for (const graph of [...allGraphs(2), ...allGraphs(3), ...connectedGraphs(4)]) {
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

const protocol: Protocol = acyclicGraph();
const { machine } = protocol.roles.node ?? { machine: undefined };
if (!machine) throw new Error('it has one role');
/** Two triangles that share the edge b–c. */
const diamond = topology('edges:a-b,a-c,b-c,b-d,c-d');
const networks = [chain(2), complete(3), diamond];
const workload = () => closedLoop({ entries: 2, think: { kind: 'exponential', mean: 5 } });
const systems = (graphs: readonly Topology[], budget: object) =>
  graphs.map((topology) => ({ topology, budget }));
const mutant = (refuted: string, changed: typeof machine) => ({
  protocol: withoutSteps(withMachine(protocol, changed)),
  refuted,
});

describe('A9 acyclic-graph: start-up by a wave', () => {
  it('every node enters in up to 150 seeded runs under each condition it assumes, also if it asks before it knows its edges', () => {
    const seeds = sampled(seedsTo(50), 2);
    const { runs, failure } = sweep({ protocol, topologies: networks, workload, seeds });
    expect(failure).toBeUndefined();
    expect(runs).toBe(seeds.length * networks.length * conditionsFor(protocol).length);
  });

  everyInterleaving(
    protocol,
    [
      ['start-up and 2 nodes, 2 entries each', systems(allGraphs(2), { commands: 2 }), {}, 80],
      [
        'start-up and all graphs of 3 nodes, 2 entries each',
        systems(allGraphs(3), { commands: 2 }),
        {},
        5_268,
      ],
      [
        'start-up and the 6 graphs of 4 nodes, an entry for the last',
        systems(connectedGraphs(4), { initiators: ['d'] }),
        {},
        5_127,
      ],
    ],
    {
      'edges point to lower ids': mutant(
        'edges:a,b,c,a-c,b-c, 3 steps: there is exactly one token, in a node or on its way',
        machine.provide({
          actions: {
            orient: assign(({ context }) => ({
              out: Object.keys(context.heights).filter((id) => id < context.self),
              heights: {},
              wave: null,
            })),
          },
        }),
      ),
    },
  );

  sharedContract(protocol, networks, workload, [
    { topology: chain(2), budget: {} },
    { topology: complete(3), budget: { initiators: ['c'] } },
  ]);
});

/**
 * The neighbours with a lower (height, id), where the height is the distance from `root` in the
 * tree.
 */
function lowerNeighbours(network: Topology, parents: Parents): string {
  const heightOf = (id: NodeId): number => {
    const parent = parents.get(id);
    return parent === undefined ? 0 : heightOf(parent) + 1;
  };
  const compare = (one: NodeId, other: NodeId) =>
    heightOf(one) - heightOf(other) || (one < other ? -1 : 1);
  return network.nodes
    .map((id) =>
      network
        .successors(id)
        .filter((other) => compare(other, id) < 0)
        .sort(compare)
        .join(),
    )
    .join(' ');
}

const outOf = ({ nodes }: SystemView): string =>
  nodes.map(({ context }) => (context.out as readonly NodeId[]).join()).join(' ');
const isAtRest = (node: NodeView): boolean =>
  typeof node.value === 'object' && 'released' in node.value;

describe('acyclic-graph start-up', () => {
  proof(
    'finds the orientation of every spanning tree of every connected graph of up to 4 nodes, and no other',
    () => {
      const counts = [2, 3, 4].map((n) => {
        let found = 0;
        for (const network of allGraphs(n)) {
          const expected = [
            ...new Set(spanningTrees(network, 'a').map((tree) => lowerNeighbours(network, tree))),
          ];
          const ready = (system: SystemView) => system.nodes.every(isAtRest);
          const properties = [
            ...expected.map((out) =>
              sometimes(out, (system) => ready(system) && outOf(system) === out),
            ),
            always('no other', (system) => !ready(system) || expected.includes(outOf(system))),
          ];
          expect(failing(explore(protocol, network, { initiators: [], properties }))).toEqual([]);
          found += expected.length;
        }
        return found;
      });
      expect(counts).toEqual([1, 5, 79]);
    },
  );

  it('costs 2e messages, once', () => {
    for (const network of [grid(4, 4), complete(7), randomGraph(20, 0.2, 3)]) {
      const { messages } = simulate({
        protocol,
        topology: network,
        workload: closedLoop({ entries: 2 }),
      });
      expect((messages['wave-explorer'] ?? 0) + (messages['wave-echo'] ?? 0)).toBe(
        network.links.length,
      );
    }
  });

  it('a lost message of the wave leaves nodes waiting, and never breaks exclusion', () => {
    const { verdicts } = outcomeOf(protocol, chain(2), { losses: 1 });
    expect(verdicts).toMatchObject({
      'at most one node is in the critical section': 'holds',
      'every node learns where its edges point': 'violated in 2',
    });
  });

  proof.each([['acknowledged'], ['numbered']] as const)(
    'works with the other reversals: %s',
    (reversal) => {
      for (const network of allGraphs(3))
        expect(failing(explore(acyclicGraph({ reversal }), network))).toEqual([]);
    },
  );
});
