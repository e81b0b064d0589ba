import {
  always,
  alwaysEventually,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';

/** The nodes that a node suspects. */
export const suspectedBy = ({ context }: NodeView): readonly NodeId[] =>
  [context.suspected].flat().filter((id) => typeof id === 'string');

/**
 * Strong accuracy, where the bounds of time hold. A node that comes back is still suspected until
 * it is heard of.
 */
export const strongAccuracy: Property = always(
  'no node is suspected before it crashes',
  (system) =>
    system.nodes.every(
      (node) => node.crashed || suspectedBy(node).every((id) => system.node(id).crashed),
    ),
  { vacuous: 'without a crash no node is suspected', unless: 'restart' },
);

/** Strong completeness: once no node crashes or comes back any more, all crashes are known. */
export const strongCompleteness: Property = alwaysEventually(
  'eventually each live node suspects every node that has crashed',
  ({ nodes }) =>
    nodes.every(
      (node) =>
        node.crashed ||
        nodes.every(({ id, crashed }) => !crashed || suspectedBy(node).includes(id)),
    ),
  { vacuous: 'without a crash no node is to be suspected' },
);

/** What the application learns is what the node believes. */
export const tellsSuspicions: Property = everyStep(
  'a node tells its application exactly when a suspicion begins and ends',
  (step) => {
    const [before, after] = [suspectedBy(step.before), [...new Set(suspectedBy(step.after))]];
    const begun = after.filter((id) => !before.includes(id)).map((id) => `suspect ${id}`);
    const ended = before.filter((id) => !after.includes(id)).map((id) => `trust ${id}`);
    const told = step.notified.map((one) => `${one.type} ${'node' in one ? String(one.node) : ''}`);
    return told.sort().join() === [...begun, ...ended].sort().join();
  },
);

/**
 * The longest time without a heartbeat of a live node that messages of this delay allow: longer
 * time-outs never suspect a live node.
 */
export const longestSilence = (period: number, [least, most]: readonly [number, number]): number =>
  Math.max(most, period + most - least);
