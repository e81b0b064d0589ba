import { always, everyStep, type NodeView, type Property } from '@conclave/core/protocol';
import { termOf } from '../election.js';

const viewOf = ({
  context,
}: NodeView): { readonly number: number; readonly members: readonly string[] } =>
  Object(context.group);

/** What the rules say. */
export const rules: readonly Property[] = [
  always(
    'the leader that a node knows is the smallest member of its view, and the term the number of that view',
    (system) =>
      system
        .tagged('decided')
        .every(
          (node) =>
            node.context.leader === viewOf(node).members[0] && termOf(node) === viewOf(node).number,
        ),
  ),
  always('a node in a view is the leader exactly if it is the smallest member', ({ nodes }) =>
    nodes.every((node) => {
      if (node.crashed || viewOf(node).number === 0) return true;
      return (
        node.tags.has('decided') &&
        node.tags.has('leader') === (viewOf(node).members[0] === node.id)
      );
    }),
  ),
  everyStep(
    'a node changes its leader only with its view',
    ({ before, after }) =>
      before.context.leader === after.context.leader ||
      viewOf(before).number < viewOf(after).number,
  ),
];
