import { defineProtocol, type NodeId, type NodeView } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { type Command, commands, nodesIn } from '../../mutual-exclusion/mutual-exclusion.js';
import { localExclusion, neighboursOf } from '../local-exclusion.js';
import { type Input, type Message, machine } from './dining-philosophers.js';
import { hygiene } from './properties.js';

export type { Command };

const largestDegree = (topology: Topology): number =>
  Math.max(...topology.nodes.map((id) => topology.successors(id).length));

/**
 * Each fork is dirty and at the node that comes first among the network's nodes, so that precedence
 * has no cycle.
 */
const input = (self: NodeId, topology: Topology) => {
  const { nodes } = topology;
  const neighbours = topology.successors(self);
  return {
    neighbours,
    forks: neighbours.filter((id) => nodes.indexOf(self) < nodes.indexOf(id)),
  } satisfies Input;
};

/** A16: the hygienic solution to the dining philosophers. */
export const diningPhilosophers = defineProtocol<Message, Command>({
  id: 'A16',
  name: 'dining-philosophers',
  title: 'Dining philosophers',
  problem: 'local-exclusion',
  citation:
    'K. M. Chandy, J. Misra: The Drinking Philosophers Problem. ACM TOPLAS 6:4, 1984, 632–646, section 4',
  topology: needs.connected,
  channels: { order: 'any', loss: false, duplication: false },
  roles: { node: { machine, input } },
  messages: {
    request: { meaning: 'I request the fork between us; the request token of the paper' },
    fork: {
      fields: ['entries'],
      counters: ['entries'],
      meaning: 'the fork between us, clean; the largest fencing token that I know is `entries`',
    },
  },
  commands,
  properties: [
    ...localExclusion('no two neighbours are in their critical sections at once', (one, other) =>
      neighboursOf(one).includes(other.id),
    ),
    ...hygiene,
  ],
  fence: ({ context }: NodeView) => Number(context.entries),
  fenceCondition:
    'from one entry to the next among a node and its neighbours; others may enter at the same time',
  waitsFor: (node) => neighboursOf(node).filter((id) => !nodesIn('forks')(node).includes(id)),
  cost: {
    per: 'entry',
    formula: 'at most 2d',
    remark: 'where d is the largest number of neighbours',
    messages: (n, topology) => ({
      least: 0,
      most: 2 * (topology ? largestDegree(topology) : n - 1),
    }),
  },
});
