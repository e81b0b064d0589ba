import {
  always,
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { byId, ofNode } from '../../by-node.js';
import { sendsNothingTwice, stepsOf } from '../../steps.js';
import { type Command, commands, decision } from '../election.js';
import { type Context, type Message, machine } from './gallager-humblet-spira.js';

/** An undirected edge, the smaller id first. */
interface Edge {
  readonly ends: readonly [NodeId, NodeId];
  readonly delay: number;
}

const rankedEdges = new WeakMap<Topology, readonly Edge[]>();

/**
 * The edges by delay, then by the pair of ids: all differ, so that there is one minimum spanning
 * tree. A link without a delay has 0.
 */
function edgesByWeight(topology: Topology): readonly Edge[] {
  const known = rankedEdges.get(topology);
  if (known) return known;
  const edges = topology.links
    .filter(({ from, to }) => from < to)
    .map(
      ({ from, to, delay = 0 }): Edge => ({
        ends: [from, to],
        delay: Math.max(delay, topology.link(to, from)?.delay ?? 0),
      }),
    )
    .sort((a, b) => a.delay - b.delay || byId(a.ends[0], b.ends[0]) || byId(a.ends[1], b.ends[1]));
  rankedEdges.set(topology, edges);
  return edges;
}

const byNode = new WeakMap<Topology, ReadonlyMap<NodeId, Readonly<Record<NodeId, number>>>>();

/** The weights of the edges of `self`: their ranks among all edges, from 1. */
function weightsOf(topology: Topology, self: NodeId): Readonly<Record<NodeId, number>> {
  let all = byNode.get(topology);
  if (!all) {
    const made = new Map<NodeId, [NodeId, number][]>(topology.nodes.map((id) => [id, []]));
    for (const [index, { ends }] of edgesByWeight(topology).entries())
      for (const [from, to] of [ends, ends.toReversed()])
        made.get(from ?? '')?.push([to ?? '', index + 1]);
    all = new Map([...made].map(([id, weights]) => [id, Object.fromEntries(weights)]));
    byNode.set(topology, all);
  }
  return all.get(self) ?? {};
}

export type { Command };

// What holds of the fragments and of the tree.

const { contextOf, receivedIn } = stepsOf<Message, Context>();

const trees = new WeakMap<Context['weights'], ReadonlySet<number>>();

/** The weights of the edges of the minimum spanning tree, by Kruskal's algorithm. */
function minimumTree({ nodes }: SystemView): ReadonlySet<number> {
  const [first] = nodes;
  const key = first && contextOf(first).weights;
  const known = key && trees.get(key);
  if (known) return known;
  const root = new Map<NodeId, NodeId>(nodes.map(({ id }) => [id, id]));
  const find = (id: NodeId): NodeId => (root.get(id) === id ? id : find(root.get(id) ?? id));
  const edges = nodes.flatMap((node) =>
    Object.entries(contextOf(node).weights).map(([to, weight]) => ({ from: node.id, to, weight })),
  );
  const tree = new Set<number>();
  for (const { from, to, weight } of edges.sort((a, b) => a.weight - b.weight)) {
    if (find(from) === find(to)) continue;
    root.set(find(from), find(to));
    tree.add(weight);
  }
  if (key) trees.set(key, tree);
  return tree;
}

const isIn = (
  node: NodeView,
  kind: 'branch' | 'rejected',
  holds: (weight: number) => boolean,
): boolean => {
  const { edges, weights } = contextOf(node);
  return Object.entries(edges).every(
    ([id, state]) => state !== kind || holds(ofNode(weights, id) ?? 0),
  );
};

/** Whether the node is in state `find`. */
const finds = ({ value }: NodeView): boolean =>
  typeof value === 'object' && typeof value.fragment === 'object';

const treeProperties: readonly Property[] = [
  always(
    'every branch is an edge of the minimum spanning tree, and no rejected edge is',
    (system) => {
      const tree = minimumTree(system);
      return system.nodes.every(
        (node) =>
          isIn(node, 'branch', (weight) => tree.has(weight)) &&
          isIn(node, 'rejected', (weight) => !tree.has(weight)),
      );
    },
  ),
  always('when there is a leader, the branches are the minimum spanning tree', (system) => {
    if (system.count('leader') === 0) return true;
    const ends = system.nodes.flatMap((node) =>
      Object.values(contextOf(node).edges).filter((state) => state === 'branch'),
    );
    return ends.length === 2 * (system.nodes.length - 1);
  }),
  always('the leader has a larger id than the other end of the core', (system) =>
    system.tagged('leader').every((node) => node.id > (contextOf(node).inBranch ?? '')),
  ),
  always('a level is at most ⌊log₂ n⌋', (system) =>
    system.nodes.every((node) => 2 ** contextOf(node).level <= system.nodes.length),
  ),
  everyStep(
    'the level of a node only grows',
    ({ before, after }) => contextOf(after).level >= contextOf(before).level,
  ),
  everyStep('a node that receives initiate then has its level and fragment', (step) => {
    const told = receivedIn(step, 'initiate');
    const { level, fragment } = contextOf(step.after);
    return !told || (told.level === level && told.fragment === fragment);
  }),
  everyStep('a node begins to search only when an initiate asks for it', (step) => {
    return (
      finds(step.before) || !finds(step.after) || receivedIn(step, 'initiate')?.state === 'find'
    );
  }),
  everyStep(
    'a node sends connect or initiate to the other end of a new branch',
    ({ before, after, sent }) => {
      const { edges } = contextOf(before);
      const added = Object.entries(contextOf(after).edges).filter(
        ([id, state]) => state === 'branch' && edges[id] !== 'branch',
      );
      return added.every(([id]) =>
        sent.some(({ to, message }) => to === id && ['connect', 'initiate'].includes(message.type)),
      );
    },
  ),
  everyStep('a node that tests an edge sends no reject over it', ({ before, sent }) =>
    sent.every(({ to, message }) => message.type !== 'reject' || contextOf(before).testEdge !== to),
  ),
  sendsNothingTwice('no step sends the same message twice', JSON.stringify),
];

/** B16: Gallager–Humblet–Spira. */
export const gallagerHumbletSpira = defineProtocol<Message, Command>({
  id: 'B16',
  name: 'gallager-humblet-spira',
  title: 'Gallager–Humblet–Spira',
  problem: 'election',
  citation:
    'R. G. Gallager, P. A. Humblet, P. M. Spira: A Distributed Algorithm for Minimum-Weight Spanning Trees. TOPLAS 5:1, 1983, 66–77',
  topology: needs.connected,
  channels: { order: 'fifo', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, weights: weightsOf(topology, self) }) },
  },
  messages: {
    connect: {
      fields: ['level'],
      counters: ['level'],
      meaning:
        'a fragment of this level wants to combine over this edge, its smallest outgoing one',
    },
    initiate: {
      fields: ['level', 'fragment', 'state'],
      counters: ['level', 'fragment'],
      meaning:
        'you belong to this fragment now; in state `find`, look for its smallest outgoing edge',
    },
    test: {
      fields: ['level', 'fragment'],
      counters: ['level', 'fragment'],
      meaning: 'are you in another fragment than this one?',
    },
    accept: { meaning: 'yes, the edge is outgoing' },
    reject: { meaning: 'no, both ends are in the same fragment' },
    report: {
      fields: ['weight'],
      counters: ['weight?'],
      meaning: 'the smallest outgoing edge found on this side; `null`: there is none',
    },
    'change-root': { meaning: 'the smallest outgoing edge is on your side' },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...decision, ...treeProperties],
  cost: {
    per: 'election',
    formula: 'at most 2e + 5n⌊log₂ n⌋ + n − 2',
    messages: (n, topology) => {
      if (n === 1) return { least: 0, most: 0 };
      const fewest = topology ? topology.links.length / 2 : n - 1;
      const edges = topology ? topology.links.length / 2 : (n * (n - 1)) / 2;
      return {
        least: 2 * fewest + 2 * n,
        most: 2 * edges + 5 * n * Math.floor(Math.log2(n)) + n - 2,
      };
    },
  },
});
