import {
  type Command as AnyCommand,
  always,
  everyStep,
  increases,
  leadsTo,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { isCommanded } from '../steps.js';

/** The commands of an application to a node of any mutual-exclusion protocol. */
export type Command = { readonly type: 'acquire' } | { readonly type: 'release' };

/** Where a node accepts `acquire`: it neither waits nor is in the critical section. */
export const isIdle = ({ tags }: NodeView): boolean =>
  !tags.has('waiting') && !tags.has('critical');

/** Where a node accepts `release`. */
export const inCriticalSection = ({ tags }: NodeView): boolean => tags.has('critical');

export const commands: Readonly<Record<Command['type'], Protocol['commands'][string]>> = {
  acquire: {
    kind: 'optional',
    meaning: 'the application requests entry to the critical section',
    when: isIdle,
  },
  release: {
    kind: 'obligatory',
    meaning: 'the application leaves the critical section',
    when: inCriticalSection,
  },
} satisfies Record<AnyCommand['type'], Protocol['commands'][string]>;

export const waits = ({ tags }: NodeView): boolean => tags.has('waiting');

/** A protocol whose nodes may give up waiting replaces this property and the next. */
export const entersEventually: Property = leadsTo(
  'every node that wants to enter eventually enters',
  waits,
  inCriticalSection,
);

export const waitsUntilEntry: Property = everyStep(
  'a node that waits keeps waiting until it enters',
  ({ before, after }) => !waits(before) || waits(after) || inCriticalSection(after),
);

/** A protocol whose nodes may lose the lock replaces this property. */
export const staysUntilRelease: Property = everyStep(
  'a node in the critical section stays there until it releases',
  (step) =>
    !inCriticalSection(step.before) ||
    inCriticalSection(step.after) ||
    isCommanded('release', step),
);

/** Instead of {@link staysUntilRelease}, where the lock has a lease. */
export const staysUntilReleaseOrLoss: Property = everyStep(
  'a node in the critical section stays there until it releases, or notifies its application that its lease has expired',
  (step) =>
    !inCriticalSection(step.before) ||
    inCriticalSection(step.after) ||
    isCommanded('release', step) ||
    step.notified.some(({ type }) => type === 'lost'),
);

/** `share` is for an entry beside others: see `readersWriters`. */
export const isRequested = (step: NodeStep): boolean =>
  isCommanded('acquire', step) || isCommanded('share', step);

/** Each command has its effect, and nothing else has that effect. */
const followsCommands: readonly Property[] = [
  everyStep(
    'a node that requests entry waits or enters at once',
    (step) => !isRequested(step) || waits(step.after) || inCriticalSection(step.after),
  ),
  everyStep(
    'a node enters only if it requested entry',
    (step) =>
      !inCriticalSection(step.after) ||
      inCriticalSection(step.before) ||
      waits(step.before) ||
      isRequested(step),
  ),
  everyStep(
    'a node waits only if it requested entry',
    (step) => !waits(step.after) || waits(step.before) || isRequested(step),
  ),
  waitsUntilEntry,
  staysUntilRelease,
  everyStep(
    'a node that releases leaves the critical section',
    (step) => !isCommanded('release', step) || !inCriticalSection(step.after),
  ),
];

/**
 * Mutual exclusion (Lamport 1978), or a variant with another safety property: safety, liveness,
 * obedience to commands, and one entry at least.
 */
export const propertiesWith = (safety: Property): readonly Property[] => [
  safety,
  entersEventually,
  ...followsCommands,
  sometimes('a node is in the critical section', (system) => system.count('critical') > 0),
];

export const properties = propertiesWith(
  always('at most one node is in the critical section', (system) => system.count('critical') <= 1),
);

/** Of a lock with a lease. */
export const losableProperties: readonly Property[] = properties.map((property) =>
  property === staysUntilRelease ? staysUntilReleaseOrLoss : property,
);

/**
 * `fence` is a fencing token: a node that enters has a larger one than every node that entered
 * before.
 */
export const tokensGrow = (fence: (node: NodeView) => number): Property =>
  increases('each entry has a larger fencing token than every entry before it', (node) =>
    inCriticalSection(node) ? fence(node) : undefined,
  );

/** For `waitsFor`: the node, or nodes, that a field of the context names. */
export const nodesIn =
  (field: string) =>
  ({ context }: NodeView): readonly NodeId[] =>
    [context[field]].flat().filter((id) => typeof id === 'string');

/** For `waitsFor` on a one-way ring: the node before this one. */
export const previousNode = ({ id }: NodeView, topology: Topology): readonly NodeId[] =>
  topology.nodes.filter((from) => topology.link(from, id) !== undefined);

/**
 * For `contenders`: those of a queue, of which the first has entered or enters next.
 *
 * @param field of each of the queue: its node
 */
export const queuedIn =
  (field: string) =>
  ({ id, context }: NodeView): Contenders => {
    const queue = [context.queue].flat().map((request) => String(Object(request)[field]));
    return {
      inside: queue.slice(0, 1).filter((node) => node !== id),
      waiting: queue.slice(1).filter((node) => node !== id),
    };
  };

/** What a node knows of the others, see `contenders` of a protocol. */
export type Contenders = ReturnType<NonNullable<Protocol['contenders']>>;

/** For `contenders`: those that a field of the context names wait. */
export const waitingIn =
  (field: string) =>
  (node: NodeView): Contenders => ({ inside: [], waiting: nodesIn(field)(node) });

/** The other nodes for whose answers a waiting node waits, where the protocol knows them. */
export const awaitedBy = (
  { waitsFor }: Protocol,
  state: NodeView,
  topology: Topology,
): readonly NodeId[] =>
  state.tags.has('waiting')
    ? (waitsFor?.(state, topology) ?? []).filter((id) => id !== state.id)
    : [];
