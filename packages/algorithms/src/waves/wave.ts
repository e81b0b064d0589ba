import {
  always,
  eventually,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';

/** The command of an application to the initiator of a wave. */
export interface Command {
  readonly type: 'start';
}

export const commands: Readonly<Record<Command['type'], Protocol['commands'][string]>> = {
  start: {
    kind: 'optional',
    meaning: 'the application asks the initiator to start the wave',
    when: ({ role, tags }) => role === 'initiator' && !tags.has('reached'),
  },
};

/**
 * The node that a node was first reached from; null for the initiator, and for a node that has not
 * been reached.
 */
// as the machines' own types say
export const parentOf = ({ context }: NodeView): NodeId | null => context.parent as NodeId | null;

/**
 * The problem (Segall 1983; Tel: Introduction to Distributed Algorithms, 2000, ch. 6): one node
 * starts, each node takes part, and the initiator learns that each has. A node that takes part is
 * tagged `reached` and has a `parent` in its context; the initiator that has learned it is tagged
 * `done`.
 */
export const properties: readonly Property[] = [
  always(
    'the initiator is done only after every node has been reached',
    (system) => system.count('done') === 0 || system.count('reached') === system.live,
  ),
  always('the parents of the reached nodes form a tree whose root is the initiator', (system) => {
    const parents = new Map(system.tagged('reached').map((node) => [node.id, parentOf(node)]));
    const roots = [...parents.values()].filter((parent) => parent === null).length;
    return roots <= 1 && [...parents.keys()].every((id) => leadsToRoot(parents, id));
  }),
  eventually(
    'every node is reached, and the initiator is done',
    (system) => system.count('reached') === system.live && system.count('done') === 1,
  ),
  everyStep(
    'a node takes part once: it stays reached, with the same parent',
    ({ before, after }) => {
      return (
        !before.tags.has('reached') ||
        (after.tags.has('reached') && parentOf(after) === parentOf(before))
      );
    },
  ),
  everyStep('an initiator that has started waits until it is done', ({ after }) => {
    const { role, tags } = after;
    return role !== 'initiator' || !tags.has('reached') || tags.has('waiting') || tags.has('done');
  }),
  everyStep(
    'a done initiator stays done',
    ({ before, after }) => !before.tags.has('done') || after.tags.has('done'),
  ),
  sometimes('the initiator is done', (system) => system.count('done') === 1),
];

/** Whether the parents of the reached nodes lead from `id` to the node without a parent. */
function leadsToRoot(parents: ReadonlyMap<NodeId, NodeId | null>, id: NodeId): boolean {
  let at: NodeId | null | undefined = id;
  for (let hops = 0; hops < parents.size && at; hops++) at = parents.get(at);
  return at === null;
}

// What a node of a wave with feedback notes: C2, and the algorithms that send such waves (Chang
// 1982; Segall 1983).

/** How a node takes part in a wave. */
export interface Part {
  /**
   * The neighbour that it was first reached from; null at the initiator, and before the wave comes.
   */
  readonly parent: NodeId | null;
  /** The neighbours that it has not heard from. */
  readonly pending: readonly NodeId[];
}

/** The initiator waits for all neighbours, each other node for all but its parent. */
export const joined = (neighbours: readonly NodeId[], parent: NodeId | null): Part => ({
  parent,
  pending: neighbours.filter((id) => id !== parent),
});

/** The node has heard from `neighbour`: its explorer, or its echo. */
export const crossedOff = (
  { pending }: Pick<Part, 'pending'>,
  neighbour: NodeId,
): Pick<Part, 'pending'> => ({
  pending: pending.filter((id) => id !== neighbour),
});

/** Equal sets of nodes have equal texts. */
export const withNode = (ids: readonly NodeId[], id: NodeId): readonly NodeId[] =>
  [...ids, id].sort();
