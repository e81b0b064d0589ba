import {
  type Command as AnyCommand,
  always,
  type CommandShape,
  increases,
  leadsTo,
  type NodeView,
  type Property,
  sometimes,
} from '@conclave/core/protocol';

/** What an application tells a node of any mutual-exclusion protocol. */
export type Command = { readonly type: 'acquire' } | { readonly type: 'release' };

/** Where the application may want to enter: it neither waits nor is inside. */
export const isIdle = ({ tags }: NodeView): boolean => !tags.has('waiting') && !tags.has('critical');

/** Where it is inside, and is to leave some day. */
export const isInside = ({ tags }: NodeView): boolean => tags.has('critical');

export const commands: Readonly<Record<Command['type'], CommandShape>> = {
  acquire: { kind: 'wish', meaning: 'the application wants to enter the critical section', when: isIdle },
  release: { kind: 'duty', meaning: 'the application leaves it', when: isInside },
} satisfies Record<AnyCommand['type'], CommandShape>;

/** The problem (Lamport 1978), or a variant of it by what is called safe: besides, liveness, and that the check saw somebody inside at all. */
export const propertiesWith = (safety: Property): readonly Property[] => [
  safety,
  leadsTo(
    'every node that wants to enter does so in the end',
    (node) => node.tags.has('waiting'),
    (node) => node.tags.has('critical'),
  ),
  sometimes('a node is in the critical section', (system) => system.count('critical') > 0),
];

export const properties = propertiesWith(always('at most one node is in the critical section', (system) => system.count('critical') <= 1));

/** What makes `fence` a fencing token: whoever enters has a larger one than all who entered before. */
export const fenced = (fence: (node: NodeView) => number): Property =>
  increases('each entry has a larger fencing number than every entry before it', (node) =>
    node.tags.has('critical') ? fence(node) : undefined,
  );
