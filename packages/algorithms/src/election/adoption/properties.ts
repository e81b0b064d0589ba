/** What holds of the tree that the largest wave takes over piece by piece. */
import { ofNode } from '@conclave/core/internal/protocol';
import {
  always,
  everyStep,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import { stepsOf } from '../../steps.js';
import type { Context, Message } from './adoption.js';

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

export const adoptionProperties: readonly Property[] = [
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
