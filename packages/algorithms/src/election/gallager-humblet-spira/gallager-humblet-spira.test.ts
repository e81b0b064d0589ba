import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { always, everyStep, type NodeView, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { chain, complete, type Topology, topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, emit, enqueueActions } from 'xstate';
import { smallGraphs, weighted } from '../../checks/networks.js';
import { mutantOf, withMachine } from '../../contract/machines.contract.js';
import { randomGraph } from '../../contract/networks.contract.js';
import { conditionsFor, fault } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { decision } from '../election.js';
import { type Context, machine } from './gallager-humblet-spira.js';
import { leaderOf, minimumSpanningTree } from './minimum-spanning-tree.contract.js';
import { gallagerHumbletSpira } from './protocol.js';

const mutant = mutantOf(gallagerHumbletSpira);

/** Each node may start, so these are all sets of initiators. */
const mayAllStart = (graphs: readonly Topology[]) =>
  graphs.map((topology) => ({ topology, budget: {} }));

/** Graphs with each order of the weights 1, 2, 3 … at their edges; those with fewer edges first. */
const weightedGraphs = (n: number, most = Infinity) =>
  weighted(smallGraphs(n, most)).toSorted((a, b) => a.links.length - b.links.length);
const graphsOf4 = weightedGraphs(4, 4);

/** Two fragments of level 1 combine over b-c. */
const pairs = topology('edges:a-b:1,b-c:3,c-d:2');
/** c is the third node of a fragment of level 1. */
const row = topology('edges:a-b:1,b-c:2,c-d:4,d-e:3');

electionContract({
  protocol: gallagerHumbletSpira,
  topologies: [
    topology('edges:a-b:1,b-c:2,c-d:4,d-e:3,e-a:5'),
    topology('edges:a-b:1,a-c:2,b-c:3'),
    pairs,
    chain(2),
    topology('edges:b-c:1,a-b:2'),
  ],
  small: [
    { topology: chain(3), budget: { initiators: ['a', 'c'] } },
    { topology: pairs, budget: { initiators: ['a'] } },
  ],
  explored: [
    ['the graph of 2 nodes, any set of initiators', mayAllStart(weightedGraphs(2)), {}, 29],
    ['chain and triangle, any set of initiators', mayAllStart(weightedGraphs(3)), {}, 560],
    ['a chain of 5 nodes, any set of initiators', mayAllStart([row]), {}, 15_108],
    [
      'the 19 graphs of 4 nodes with at most 4 edges, in each order of the weights, any set of initiators',
      mayAllStart(graphsOf4),
      {},
      47_653,
    ],
  ],
  costs: [chain(2), ...graphsOf4, complete(8), randomGraph(16, 0.2, 1), randomGraph(32, 0.1, 2)],
  winner: leaderOf,
  mutants: {
    'a fragment that combines keeps its level': mutant(
      'edges:a,b,c,a-b:1,a-c:2,b-c:3, 22 steps: every branch is an edge of the minimum spanning tree, and no rejected edge is',
      machine.provide({
        actions: {
          merge: emit(({ context, event }) => {
            assertEvent(event, 'connect');
            return send(event.from, {
              type: 'initiate',
              level: context.level,
              fragment: context.weights[event.from] ?? 0,
              state: 'find',
            });
          }),
        },
      }),
    ),
  },
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const one = 'at most one node is the leader';
const same = 'all nodes that know a leader know the same one';
const known = 'every live node knows the one leader';

describe('gallager-humblet-spira assumptions', () => {
  proof.each([
    ['a lost message', { losses: 1 }, known, 6, [one, same]],
    ['a duplicated message', { duplications: 1 }, everyMessageHandled, 7, [one]],
    ['a crash', { crashes: 1 }, known, 2, [one, same]],
    ['a restart', { crashes: 1, restarts: 1 }, everyMessageHandled, 5, [one]],
  ])(
    '%s has this shortest run on two nodes, and never makes two leaders on two or three',
    (_what, budget, broken, steps, kept) => {
      expect(outcomeOf(gallagerHumbletSpira, chain(2), budget).verdicts).toMatchObject({
        [broken]: `violated in ${steps}`,
      });
      for (const graph of [...weightedGraphs(2), ...weightedGraphs(3)])
        expect(
          outcomeOf(ignoringUnexpected(gallagerHumbletSpira), graph, budget).verdicts,
        ).toMatchObject(Object.fromEntries(kept.map((name) => [name, 'holds'])));
    },
  );

  it('the page shows the shortest run with a lost message', () => {
    expect(page).toContain(outcomeOf(gallagerHumbletSpira, chain(2), { losses: 1 }).traces[known]);
  });

  it('with a duplicated message two nodes may name different leaders, in 14 steps on three nodes', () => {
    const { verdicts, traces } = outcomeOf(gallagerHumbletSpira, chain(3), { duplications: 1 });
    expect(verdicts).toMatchObject({ [same]: 'violated in 14' });
    expect(page).toContain(traces[same]);
  });

  it('without FIFO there may be two leaders, in 8 steps on four nodes', () => {
    const { verdicts, traces } = outcomeOf(
      gallagerHumbletSpira,
      topology('edges:a-c:1,c-d:3,b-d:2'),
      { order: 'any' },
    );
    expect(verdicts).toMatchObject({ [one]: 'violated in 8' });
    expect(page).toContain(traces[one]);
  });

  it('without FIFO two nodes may wait forever, in 7 steps', () => {
    const { verdicts } = outcomeOf(ignoringUnexpected(gallagerHumbletSpira), chain(2), {
      order: 'any',
    });
    expect(verdicts).toMatchObject({ [known]: 'violated in 7', [one]: 'holds' });
  });
});

// The tree follows from the weights alone, and from the ids as strings where delays are equal:
// whole numbers are names as others are.

const found = (graph: Topology) => {
  const { states, transitions, depth, properties } = explore(gallagerHumbletSpira, graph, {
    limits: { states: 600 },
  });
  const wrong = properties
    .filter(({ verdict }) => verdict === 'violated' || verdict === 'unreached')
    .map(({ name }) => name);
  return { states, transitions, depth, wrong };
};

it('the smallest edge of 1 leads to 3, and not to the first key of an object', () => {
  const [numbers, letters] = ['edges:1-2:3,1-3:1,2-3:2', 'edges:a-b:3,a-c:1,b-c:2'].map((spec) =>
    found(topology(spec)),
  );
  expect(numbers).toEqual(letters);
  expect(numbers).toMatchObject({ wrong: [] });
});

// The tree that the branches form, and the cost, on random networks.

// the machine's own type
const contextOf = ({ context }: NodeView): Context => context as unknown as Context;
const edgesOf = ({ links }: Topology) => links.length / 2;
const byText = (ends: readonly (readonly string[])[]) => ends.map((pair) => pair.join(' ')).sort();

/**
 * A run that the nodes in `nodes` start: its messages, the branches when there is a leader, and the
 * highest level.
 */
function run(graph: Topology, seed: number, nodes = graph.nodes) {
  let branches: readonly (readonly string[])[] = [];
  let level = 0;
  const watched = always('', (system) => {
    if (system.count('leader') === 0) return true;
    branches = system.nodes.flatMap((node) =>
      Object.entries(contextOf(node).edges).flatMap(([id, state]) =>
        state === 'branch' && node.id < id ? [[node.id, id]] : [],
      ),
    );
    level = Math.max(...system.nodes.map((node) => contextOf(node).level));
    return true;
  });
  const protocol = { ...gallagerHumbletSpira, properties: [...decision, watched] };
  const conditions = conditionsFor(gallagerHumbletSpira).at(seed % 2) ?? {};
  const workload = oneShot({ type: 'elect' }, { nodes, after: { kind: 'exponential', mean: 30 } });
  const result = simulate({ protocol, topology: graph, conditions, seed, workload });
  expect(fault(result)).toBeUndefined();
  return { total: totalMessages(result), leader: result.leader, branches, level };
}

/** Random delays, some of them equal. */
const withDelays = (graph: Topology, seed: number): Topology => {
  const edges = graph.links.filter(({ from, to }) => from < to);
  return topology(
    `edges:${edges.map(({ from, to }, i) => `${from}-${to}:${((i + 1) * 7919 * (seed + 13)) % 31}`).join()}`,
  );
};

const most = (graph: Topology) =>
  gallagerHumbletSpira.cost?.messages(graph.nodes.length, graph).most ?? 0;

describe('the tree of gallager-humblet-spira', () => {
  proof(
    'is the minimum spanning tree of graphlib on 200 random graphs, with and without delays, with the leader of the last core; the cost is within its bounds',
    () => {
      const levels = new Set<number>();
      for (let seed = 1; seed <= 200; seed++) {
        const random = randomGraph(2 + ((seed * 5) % 17), [0, 0.1, 0.3, 1][seed % 4] ?? 0, seed);
        const graph = seed % 3 === 0 ? random : withDelays(random, seed);
        const nodes = graph.nodes.filter((_, i) => i % (1 + (seed % 5)) === 0);
        const { total, leader, branches, level } = run(graph, seed, nodes);
        expect(leader).toBe(leaderOf(graph));
        expect(byText(branches)).toEqual(byText(minimumSpanningTree(graph)));
        expect(total).toBeGreaterThanOrEqual(2 * edgesOf(graph) + 2 * graph.nodes.length);
        expect(total).toBeLessThanOrEqual(most(graph));
        levels.add(level);
      }
      expect([...levels].sort()).toEqual([1, 2, 3]);
    },
  );

  it('takes ⌊log₂ n⌋ levels if fragments combine in pairs', () => {
    for (const k of [2, 3, 4, 5]) {
      const { nodes } = complete(2 ** k);
      // The weight of the edge between the i-th node and the next is larger, the more often 2
      // divides i.
      const edges = nodes
        .slice(1)
        .map((id, i) => `${nodes[i]}-${id}:${Math.log2((i + 1) & -(i + 1)) + 1}`);
      const graph = topology(`edges:${edges.join()}`);
      const { total, level } = run(graph, 1);
      expect(level).toBe(k);
      expect(total).toBeGreaterThan(most(graph) / 2);
      expect(total).toBeLessThanOrEqual(most(graph));
    }
  });

  proof('takes about 2e + 2n log₂ n messages on random networks that all nodes start', () => {
    for (const n of [8, 16, 32, 64])
      for (const p of [0, 0.2, 1]) {
        const ratios = [1, 2].map((seed) => {
          const graph = withDelays(randomGraph(n, p, seed), seed);
          return (run(graph, seed).total - 2 * edgesOf(graph)) / (n * Math.log2(n));
        });
        expect(Math.min(...ratios)).toBeGreaterThan(1.2);
        expect(Math.max(...ratios)).toBeLessThan(3.2);
      }
  });

  proof(
    'has the same last core, and leader, whichever nodes start and whatever the delays: in every interleaving on small networks',
    () => {
      const small = [
        'edges:a-b:1,b-c:3,c-d:2',
        'edges:a-b:1,c-d:2,b-c:3,b-e:4',
        'edges:a-b:1,b-c:2,c-d:4,d-e:3',
        'edges:a-b:1,a-c:4,b-c:3,c-d:2',
      ];
      for (const graph of small.map((spec) => topology(spec))) {
        const expected = always('the leader is the larger end of the last core', (system) =>
          system.tagged('leader').every(({ id }) => id === leaderOf(graph)),
        );
        const found = explore(gallagerHumbletSpira, graph, { properties: [expected] });
        expect(found).toMatchObject({ complete: true });
        expect(found.properties[0]).toMatchObject({ name: expected.name, verdict: 'holds' });
      }
    },
  );

  it('[GHS6] a fragment of level 1 is taken in by one of level 2 that has found its smallest outgoing edge, and all of it is told', () => {
    // d finds d-e before i-j, of level 1, connects to d.
    const graph = topology('edges:a-b:1,c-d:2,e-f:3,g-h:4,b-c:5,f-g:6,d-e:7,i-j:8,d-i:9');
    const silent = machine.provide({
      actions: {
        spread: enqueueActions(({ context, event, enqueue }) => {
          assertEvent(event, 'initiate');
          const { level, fragment, state, from } = event;
          const to = Object.keys(context.edges).filter(
            (id) => context.edges[id] === 'branch' && id !== from,
          );
          if (state === 'find')
            for (const id of to)
              enqueue.emit(send(id, { type: 'initiate', level, fragment, state }));
          enqueue.assign({ findCount: state === 'find' ? to.length : 0 });
        }),
      },
    });
    const toldFound = everyStep(
      'a node in state found tells its branches',
      ({ before, cause, sent }) => {
        if (cause.kind !== 'message' || cause.message.type !== 'initiate') return true;
        const { edges } = contextOf(before);
        const branches = Object.keys(edges).filter(
          (id) => edges[id] === 'branch' && id !== cause.from,
        );
        return branches.every((id) =>
          sent.some(({ to, message }) => to === id && message.type === 'initiate'),
        );
      },
    );
    /** The runs in which that happens are rare: two of 120. */
    const verdicts = (changed: typeof machine) =>
      [58, 65]
        .map((seed) => {
          const protocol = {
            ...withMachine(gallagerHumbletSpira, changed),
            properties: [toldFound],
          };
          const workload = oneShot({ type: 'elect' }, { after: { kind: 'exponential', mean: 30 } });
          return fault(
            simulate({
              protocol,
              topology: graph,
              seed,
              workload,
              conditions: conditionsFor(protocol).at(1) ?? {},
            }),
          );
        })
        .filter((wrong) => wrong !== undefined).length;
    expect(verdicts(machine)).toBe(0);
    expect(verdicts(silent)).toBe(2);
  });
});
