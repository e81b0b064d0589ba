import {
  always,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';

const queueOf = ({
  context,
}: NodeView): readonly { readonly node: NodeId; readonly ticket: number }[] =>
  [context.queue].flat().map((request) => Object(request));

const groupOf = ({
  context,
}: NodeView): { readonly number: number; readonly members: readonly NodeId[] } =>
  Object(context.group);

const liveNodes = ({ nodes }: SystemView): readonly NodeView[] =>
  nodes.filter(({ crashed }) => !crashed);

/** What the rules say, beyond mutual exclusion. */
export const rules: readonly Property[] = [
  everyStep(
    'a node multicasts exactly when it requests entry or releases',
    ({ cause, before, after }) => {
      const isCommand = cause.kind === 'command';
      return (
        Number(Object(after.context.group).sequence) ===
        Number(Object(before.context.group).sequence) + (isCommand ? 1 : 0)
      );
    },
  ),
  always('a request of a node that left the view is in no queue of that view', (system) =>
    liveNodes(system).every((node) =>
      queueOf(node).every(({ node: id }) => groupOf(node).members.includes(id)),
    ),
  ),
  always('each node has at most one request in a queue', (system) =>
    liveNodes(system).every(
      (node) => new Set(queueOf(node).map(({ node: id }) => id)).size === queueOf(node).length,
    ),
  ),
  always(
    'a request has the same place in the order of all requests at each node that has it',
    (system) => {
      const nodeOf = new Map<number, NodeId>();
      return liveNodes(system).every((node) =>
        queueOf(node).every(({ node: id, ticket }) => {
          const known = nodeOf.get(ticket) ?? id;
          nodeOf.set(ticket, known);
          return known === id;
        }),
      );
    },
  ),
];
