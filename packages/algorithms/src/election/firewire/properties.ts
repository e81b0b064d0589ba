/**
 * What the algorithm promises beyond a leader: parents and children, and where there may be
 * contention.
 */
import {
  always,
  everyStep,
  type NodeStep,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import { senderIn, sendsNothingTwice } from '../../steps.js';

const idsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * The neighbours of a node that are not its children: its parent, or the node that may become it.
 */
const leftOf = ({ context }: Pick<NodeView, 'context'>): readonly unknown[] =>
  idsOf(context.neighbours).filter((id) => !idsOf(context.children).includes(id));

const askedBy = (step: NodeStep) => senderIn(step, 'be-my-parent')[0];

/** The part of the contention in which a node is. */
const waitOf = ({ value }: NodeView) => (typeof value === 'object' ? value.contending : undefined);

/** The nodes that have asked each other: the edge between them sees contention. */
function mutual(system: SystemView): readonly NodeView[] {
  return system.tagged('asking').filter((node) => {
    const other = system.node(String(leftOf(node)[0]));
    return other.tags.has('asking') && leftOf(other)[0] === node.id;
  });
}

export const ownProperties: readonly Property[] = [
  always('at most two nodes have asked each other', (system) => mutual(system).length <= 2),
  always(
    'no node is the leader while two nodes have asked each other',
    (system) => system.count('leader') === 0 || mutual(system).length === 0,
  ),
  everyStep(
    'a node that has asked goes on asking until it has a parent or is the leader',
    ({ before, after }) =>
      !before.tags.has('asking') ||
      ['asking', 'leader'].some((tag) => after.tags.has(tag)) ||
      after.value === 'child',
  ),
  everyStep('a node asks its last neighbour, and no other one', ({ after, sent }) =>
    sent.every(
      ({ to, message }) =>
        message.type !== 'be-my-parent' || (leftOf(after).length === 1 && leftOf(after)[0] === to),
    ),
  ),
  everyStep(
    'a node adopts each neighbour that asks it, unless it has asked that neighbour itself',
    (step) => {
      const { before, after } = step;
      const neighbour = askedBy(step);
      return (
        neighbour === undefined ||
        before.value === 'asking' ||
        idsOf(after.context.children).includes(neighbour)
      );
    },
  ),
  everyStep(
    'a node of whom all neighbours are children is the leader',
    ({ after }) => leftOf(after).length > 0 || after.tags.has('leader') || after.value === 'asleep',
  ),
  sendsNothingTwice('a node sends no neighbour the same message twice'),
];

/** How contention ends by chance. */
export const byChance: Property = everyStep(
  'a node that has asked draws a wait when it is asked, and waits as drawn',
  (step) => {
    const { before, after, cause } = step;
    if (waitOf(before) === undefined && waitOf(after) !== undefined)
      return before.value === 'asking' && askedBy(step) !== undefined;
    return cause.kind !== 'choice' || waitOf(after) === cause.value;
  },
);

/** How contention ends by the ids. */
export const byIds: Property = everyStep(
  'of two nodes that have asked each other, the one with the larger id is the leader',
  (step) => {
    const neighbour = askedBy(step);
    return (
      neighbour === undefined ||
      step.before.value !== 'asking' ||
      step.after.tags.has('leader') === step.after.id > neighbour
    );
  },
);
