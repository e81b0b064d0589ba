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
import { receiversIn, sentIn } from '../../steps.js';
import { type Command, commands, decision, largestLeads } from '../election.js';
import { type Message, machine } from './hypercube.js';

// What an election in a hypercube costs.

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/**
 * On a given network the duels and the ways of all matches are determined by the ids. Each match to
 * the winner of its duel arrives; one to the loser is sent at least once, since it is dropped where
 * the leader is known before it arrives. Without a network: for all orders of the ids.
 */
function cost(n: number, topology?: Topology): Bounds {
  const d = Math.ceil(Math.log2(n));
  if (!topology) return { least: 3 * (n - 1), most: 7 * n - d * d - 3 * d - 7 };
  const ids = inOrderOfCoordinates(topology);
  const winners = new Map<number, number>();
  const bounds = { least: n - 1, most: n - 1 };
  /**
   * The winner of the subcube in which the lowest `dimensions` coordinates are free, and the others
   * those of `corner`.
   */
  const play = (corner: number, dimensions: number): number => {
    if (dimensions === 0) return corner;
    const stage = dimensions - 1;
    const duellists = [play(corner, stage), play(corner | (1 << stage), stage)] as const;
    const [loser, winner] =
      (ids[duellists[0]] ?? '') < (ids[duellists[1]] ?? '')
        ? duellists
        : [duellists[1], duellists[0]];
    bounds.least += 1 + hops(loser, stage);
    bounds.most += hops(winner, stage) + hops(loser, stage);
    winners.set(loser, winner);
    return winner;
  };
  /**
   * The length of the way of the match from `duellist`: across the dimension, then from each
   * defeated node to its winner.
   */
  const hops = (duellist: number, stage: number): number => {
    let length = 1;
    for (
      let at = duellist ^ (1 << stage), next = winners.get(at);
      next !== undefined;
      at = next, next = winners.get(at)
    )
      length += distance(at, next);
    return length;
  };
  play(0, d);
  return bounds;
}

function distance(one: number, other: number): number {
  let differing = 0;
  for (let bits = one ^ other; bits > 0; bits &= bits - 1) differing++;
  return differing;
}

/** The ids by coordinates: bit i is set if dimension i separates a node from the first one. */
function inOrderOfCoordinates(topology: Topology): readonly NodeId[] {
  const [first = ''] = topology.nodes;
  return topology.nodes.map((_id, index) => {
    let at = first;
    for (let bit = 0; 1 << bit <= index; bit++)
      if ((index >> bit) & 1) at = topology.at(at, `${bit}`) ?? at;
    return at;
  });
}

export type { Command };

// What holds in a hypercube besides the properties of all elections.

const listOf = (one: unknown): readonly unknown[] => (Array.isArray(one) ? one : []);
const neighboursOf = ({ context }: NodeView): readonly unknown[] => listOf(context.neighbours);

/** The node behind dimension `dimension` of `node`. */
function across(system: SystemView, node: NodeView, dimension: unknown): NodeView {
  const id = neighboursOf(node)[Number(dimension)];
  return typeof id === 'string' ? system.node(id) : node;
}

/** The nodes that differ from `node` in the lowest `dimensions` coordinates only. */
const subcube = (system: SystemView, node: NodeView, dimensions: number): readonly NodeView[] =>
  dimensions === 0
    ? [node]
    : [node, across(system, node, dimensions - 1)].flatMap((one) =>
        subcube(system, one, dimensions - 1),
      );

/**
 * The two properties of all pairs of nodes are for small systems: they take too long in simulations
 * of a thousand nodes.
 */
const fewNodes = ({ nodes }: SystemView): readonly NodeView[] => (nodes.length <= 8 ? nodes : []);

const duellistsHaveWon = always(
  'a duellist in stage i has the largest id of its subcube of i dimensions',
  (system) =>
    fewNodes(system).every(
      (node) =>
        node.value !== 'duelling' ||
        subcube(system, node, Number(node.context.stage)).every(({ id }) => id <= node.id),
    ),
);

const losersKnowTheWay = always(
  'a defeated node knows a shortest way to the winner of its duel',
  (system) =>
    fewNodes(system).every((node) => {
      if (node.value !== 'defeated') return true;
      const way = listOf(node.context.toWinner);
      const winner = way.reduce<NodeView>((at, dimension) => across(system, at, dimension), node);
      const stage = Number(node.context.stage);
      const isSorted = way.every(
        (dimension, index) => index === 0 || Number(way[index - 1]) < Number(dimension),
      );
      return (
        isSorted &&
        Number(way.at(-1)) === stage &&
        subcube(system, winner, stage + 1).every(({ id }) => id <= winner.id)
      );
    }),
);

const announcesOnce = everyStep(
  'a node that learns the leader tells its neighbours in lower dimensions once, the leader all',
  (step) => {
    const { before, after, cause } = step;
    const told = receiversIn(step, 'elected');
    if (before.tags.has('decided') || !after.tags.has('decided')) return told.length === 0;
    const most =
      cause.kind === 'message' && !after.tags.has('leader')
        ? neighboursOf(before).indexOf(cause.from)
        : Infinity;
    return `${told}` === `${neighboursOf(before).slice(0, most)}`;
  },
);

const eachStageOnce = everyStep(
  'a node that enters a stage challenges its neighbour in that dimension once',
  (step) => {
    const { before, after } = step;
    const matches = sentIn(step, 'match').filter(({ message }) => message.id === after.id);
    const own = matches.map(({ to }) => to);
    const first = before.value === 'asleep' ? 0 : Number(before.context.stage) + 1;
    return `${own}` === `${neighboursOf(after).slice(first, Number(after.context.stage) + 1)}`;
  },
);

const staysDefeated = everyStep(
  'a defeated node stays defeated until it knows the leader',
  ({ before, after }) =>
    before.value !== 'defeated' || after.value === 'defeated' || after.tags.has('decided'),
);

const hypercubeProperties: readonly Property[] = [
  duellistsHaveWon,
  losersKnowTheWay,
  announcesOnce,
  eachStageOnce,
  staysDefeated,
];

/** B8: election in an oriented hypercube. */
export const hypercubeElection = defineProtocol<Message, Command>({
  id: 'B8',
  name: 'hypercube',
  title: 'Election in a hypercube',
  problem: 'election',
  citation:
    'P. Flocchini, B. Mans: Optimal Elections in Labeled Hypercubes. J. Parallel and Distributed Computing 33:1, 1996, 76–83; N. Santoro: Design and Analysis of Distributed Algorithms. Wiley, 2007, section 3.5',
  topology: needs.hypercube,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: {
      machine,
      input: (self, topology) => ({
        self,
        neighbours: topology
          .successors(self)
          .map((_id, port) => topology.at(self, `${port}`) ?? self),
      }),
    },
  },
  messages: {
    match: {
      fields: ['id', 'stage', 'source', 'dest'],
      counters: ['stage', 'source.*', 'dest.*'],
      meaning: '`id` is your opponent in this stage, or that of a node behind you',
    },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...decision, largestLeads, ...hypercubeProperties],
  cost: { per: 'election', formula: 'at most 7n − (log₂ n)² − 3 log₂ n − 7', messages: cost },
});
