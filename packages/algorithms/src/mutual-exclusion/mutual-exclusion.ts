import {
  type Command as AnyCommand,
  always,
  type CommandShape,
  everyStep,
  increases,
  leadsTo,
  type NodeId,
  type NodeStep,
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
  acquire: { kind: 'optional', meaning: 'the application wants to enter the critical section', when: isIdle },
  release: { kind: 'obligatory', meaning: 'the application leaves it', when: isInside },
} satisfies Record<AnyCommand['type'], CommandShape>;

const waits = ({ tags }: NodeView): boolean => tags.has('waiting');
const isTold = (type: string, { cause }: NodeStep): boolean => cause.kind === 'command' && cause.command.type === type;

/** For a protocol that may give up waiting to put another one in its place. */
export const waitsUntilInside: Property = everyStep(
  'a node that waits goes on to do so until it is inside',
  ({ before, after }) => !waits(before) || waits(after) || isInside(after),
);

/** Nothing that an application asks for is swallowed, and nothing is done that it has not asked for. */
const asAsked: readonly Property[] = [
  everyStep(
    'a node that is told to enter waits, or is inside',
    (step) => !isTold('acquire', step) || waits(step.after) || isInside(step.after),
  ),
  everyStep(
    'only a node that was told to enter comes to be inside',
    (step) => !isInside(step.after) || isInside(step.before) || waits(step.before) || isTold('acquire', step),
  ),
  everyStep(
    'only a node that was told to enter comes to wait',
    (step) => !waits(step.after) || waits(step.before) || isTold('acquire', step),
  ),
  waitsUntilInside,
  everyStep(
    'a node that is inside stays there until it is told to leave',
    (step) => !isInside(step.before) || isInside(step.after) || isTold('release', step),
  ),
  everyStep('a node that is told to leave is inside no more', (step) => !isTold('release', step) || !isInside(step.after)),
];

/** The problem (Lamport 1978), or a variant of it by what is called safe: besides, liveness, and that the check saw somebody inside at all. */
export const propertiesWith = (safety: Property): readonly Property[] => [
  safety,
  leadsTo(
    'every node that wants to enter eventually enters',
    (node) => node.tags.has('waiting'),
    (node) => node.tags.has('critical'),
  ),
  ...asAsked,
  sometimes('a node is in the critical section', (system) => system.count('critical') > 0),
];

export const properties = propertiesWith(always('at most one node is in the critical section', (system) => system.count('critical') <= 1));

/** What makes `fence` a fencing token: whoever enters has a larger one than all who entered before. */
export const fenced = (fence: (node: NodeView) => number): Property =>
  increases('each entry has a larger fencing token than every entry before it', (node) =>
    node.tags.has('critical') ? fence(node) : undefined,
  );

/** For `waitsFor`: the node, or nodes, that a field of the context names. */
export const nodesIn =
  (field: string) =>
  ({ context }: NodeView): readonly NodeId[] =>
    [context[field]].flat().filter((id) => typeof id === 'string');
