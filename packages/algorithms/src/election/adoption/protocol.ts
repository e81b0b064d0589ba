import {
  always,
  defineProtocol,
  everyStep,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { ofNode } from '../../by-node.js';
import { stepsOf } from '../../steps.js';
import { type Command, commands, decision } from '../election.js';
import { type Context, type Message, machine } from './adoption.js';

export type { Command };

// What holds of the tree that the largest wave takes over piece by piece.

const { contextOf, sentIn } = stepsOf<Message, Context>();

const highestOf = (node: NodeView) => contextOf(node).highest ?? '';

const parentOf = (system: SystemView, node: NodeView): NodeView | undefined => {
  const { parent } = contextOf(node);
  return parent === null ? undefined : system.node(parent);
};

/** Whether the way from `node` over parents ends, and ids never fall along it. */
function isRising(system: SystemView, node: NodeView): boolean {
  let rest = system.nodes.length;
  let at = node;
  for (let parent = parentOf(system, at); parent; parent = parentOf(system, at)) {
    if (rest-- === 0 || highestOf(parent) < highestOf(at)) return false;
    at = parent;
  }
  return true;
}

const adoptionProperties: readonly Property[] = [
  always('no node knows a higher initiator than the leader', (system) => {
    const [leader] = system.tagged('leader');
    return leader === undefined || system.nodes.every((node) => highestOf(node) <= leader.id);
  }),
  always('parents know ids at least as high as their children, and form no cycle', (system) =>
    system.nodes.every((node) => isRising(system, node)),
  ),
  always(
    'when there is a leader, it alone has no parent: the edges to parents are a spanning tree',
    (system) => {
      const [leader] = system.tagged('leader');
      return (
        leader === undefined ||
        system.nodes.every((node) => (contextOf(node).parent === null) === (node.id === leader.id))
      );
    },
  ),
  everyStep(
    'the highest id that a node knows only grows',
    ({ before, after }) => highestOf(after) >= highestOf(before),
  ),
  everyStep(
    'each explorer over an edge carries a higher id than the one before, and no step sends two messages over one edge',
    (step) => {
      const { before, sent } = step;
      const { marks } = contextOf(before);
      const isHigher = sentIn(step, 'explorer').every(
        ({ to, message }) => message.id > (ofNode(marks, to) ?? ''),
      );
      return isHigher && new Set(sent.map(({ to }) => to)).size === sent.length;
    },
  ),
];

/** B11: election by adoption. */
export const adoption = defineProtocol<Message, Command>({
  id: 'B11',
  name: 'adoption',
  title: 'Adoption',
  problem: 'election',
  citation: 'F. Mattern: Verteilte Basisalgorithmen. Springer, 1989',
  topology: needs.connected,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    node: { machine, input: (self, topology) => ({ self, neighbours: topology.successors(self) }) },
  },
  messages: {
    explorer: { fields: ['id'], meaning: 'initiator `id` explores this edge' },
    echo: { meaning: 'everything behind this edge is explored' },
    elected: { fields: ['id'], meaning: 'node `id` is the leader' },
  },
  commands,
  properties: [...decision, ...adoptionProperties],
  cost: {
    per: 'election',
    formula: 'at most (k + 1)e + n − 1',
    remark: 'for k initiators',
    messages: (n, topology) => {
      const fewest = topology ? topology.links.length / 2 : n - 1;
      const edges = topology ? topology.links.length / 2 : (n * (n - 1)) / 2;
      return { least: 2 * fewest + n - 1, most: (n + 1) * edges + n - 1 };
    },
  },
});
