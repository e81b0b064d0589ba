import {
  always,
  defineProtocol,
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { receiversIn, senderIn, sentIn } from '../../steps.js';
import { type Command, commands, decision } from '../election.js';
import { alongBorder, type Message, machine } from './mesh.js';

// What an election in a mesh costs.

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/**
 * n nodes, m edges and a border of p nodes: 2m messages wake all nodes, and 2m − (n − 1) announce
 * the leader. Its id goes round the border; each other corner sends its id at least once.
 * `candidates` is the most messages that carry ids.
 */
function bounds(n: number, m: number, p: number, candidates: number): Bounds {
  const floods = 4 * m - (n - 1);
  return { least: floods + p + 3, most: floods + candidates };
}

/** Without a network: for all a × b = n. The worst one has two rows. */
function cost(n: number, topology?: Topology): Bounds {
  if (!topology) return bounds(n, (3 * n) / 2 - 2, n, 3 * n - 2);
  const border = new Map(topology.nodes.flatMap((id) => neighboursAlong(topology, id)));
  const corners = topology.nodes.filter((id) => topology.successors(id).length === 2);
  const candidates = corners.reduce((sum, id) => sum + hopsOf(id, border, new Set(corners)), 0);
  return bounds(n, topology.links.length / 2, border.size, candidates);
}

function neighboursAlong(
  topology: Topology,
  id: NodeId,
): readonly (readonly [NodeId, readonly NodeId[]])[] {
  const neighbours = topology.successors(id);
  if (neighbours.length === 4) return [];
  const beyond = Object.fromEntries(neighbours.map((other) => [other, topology.successors(other)]));
  return [[id, neighbours.length === 2 ? neighbours : alongBorder(neighbours, beyond)]];
}

/**
 * How far the id of this corner goes: to the first corner with a larger one, or round the border.
 */
function hopsOf(
  corner: NodeId,
  border: ReadonlyMap<NodeId, readonly NodeId[]>,
  corners: ReadonlySet<NodeId>,
): number {
  let [from, at = corner, hops] = [corner, border.get(corner)?.[0], 1];
  for (; at !== corner && !(corners.has(at) && at > corner); hops++) {
    const onward = border.get(at)?.find((id) => id !== from) ?? corner;
    [from, at] = [at, onward];
  }
  return hops;
}

export type { Command };

// What holds in a mesh besides the properties of all elections.

const listOf = (one: unknown): readonly unknown[] => (Array.isArray(one) ? one : []);
const neighboursOf = ({ context }: NodeView): readonly unknown[] => listOf(context.neighbours);
const isCorner = (node: NodeView): boolean => neighboursOf(node).length === 2;

const largestCornerLeads = always(
  'the leader is the corner with the largest id',
  (system: SystemView) => {
    const [leader] = system.tagged('leader');
    return (
      leader === undefined ||
      (isCorner(leader) && system.nodes.every((node) => !isCorner(node) || node.id <= leader.id))
    );
  },
);

const places: readonly (readonly string[])[] = [
  [],
  [],
  ['corner'],
  ['learning', 'relaying'],
  ['interior'],
];

const placedByDegree = everyStep(
  'a node that is awake is a corner, on the border or in the interior by the number of its neighbours',
  ({ after }) => {
    const place = typeof after.value === 'object' ? after.value.awake : after.value;
    return (
      !after.tags.has('waiting') ||
      (typeof place === 'string' && places[neighboursOf(after).length]?.includes(place) === true)
    );
  },
);

const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  `${one}` === `${other}`;

const wakesOnce = everyStep(
  'a node that wakes up tells each neighbour once, and other nodes tell none',
  (step) =>
    isSameList(
      receiversIn(step, 'wake-up'),
      step.before.value === 'asleep' && step.after.value !== 'asleep'
        ? neighboursOf(step.before)
        : [],
    ),
);

const announcesOnce = everyStep(
  'a node that learns the leader tells each neighbour except the sender once',
  (step) => {
    const { before, after } = step;
    const [teller] = senderIn(step, 'elected');
    const learns = !before.tags.has('decided') && after.tags.has('decided');
    return isSameList(
      receiversIn(step, 'elected'),
      learns ? neighboursOf(before).filter((id) => id !== teller) : [],
    );
  },
);

const isHeld = (one: unknown): one is { readonly id: unknown; readonly from: unknown } =>
  typeof one === 'object' && one !== null && 'id' in one && 'from' in one;

/**
 * The candidates that a node has received with this step or before, and not yet passed on: their
 * ids, and where they came from.
 */
function pending({ before, cause }: NodeStep): ReadonlyMap<unknown, unknown> {
  const held = listOf(before.context.held)
    .filter(isHeld)
    .map(({ id, from }) => [id, from] as const);
  const arrived =
    cause.kind === 'message' && 'id' in cause.message
      ? [[cause.message.id, cause.from] as const]
      : [];
  return new Map([...held, ...arrived]);
}

const candidatesGoStraight = everyStep(
  'a candidate goes along the border to one neighbour, not back',
  (step) => {
    const candidates = sentIn(step, 'candidate').map(({ to, message: { id } }) => ({ to, id }));
    const from = pending(step);
    return (
      new Set(candidates.map(({ id }) => id)).size === candidates.length &&
      candidates.every(({ to, id }) =>
        id === step.after.id
          ? to === neighboursOf(step.after)[0]
          : listOf(step.after.context.along).includes(to) && from.has(id) && from.get(id) !== to,
      )
    );
  },
);

const meshProperties: readonly Property[] = [
  largestCornerLeads,
  placedByDegree,
  wakesOnce,
  announcesOnce,
  candidatesGoStraight,
];

/** B7: election in a mesh. */
export const mesh = defineProtocol<Message, Command>({
  id: 'B7',
  name: 'mesh',
  title: 'Election in a mesh',
  problem: 'election',
  citation: 'N. Santoro: Design and Analysis of Distributed Algorithms. Wiley, 2007, section 3.4',
  topology: needs.mesh,
  channels: { order: 'fifo', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, neighbours: topology.successors(self) }) },
  },
  messages: {
    'wake-up': { fields: ['neighbours'], meaning: 'an election has begun; `neighbours` are mine' },
    candidate: { fields: ['id'], meaning: 'node `id` is a corner' },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...decision, ...meshProperties],
  cost: {
    per: 'election',
    formula: 'at most 7n + 2 max(a, b) − 9',
    remark: 'on a × b nodes',
    messages: cost,
  },
});
