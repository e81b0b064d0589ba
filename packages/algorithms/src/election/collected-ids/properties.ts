/** What a node of B2 does in each step, and what holds where nodes may crash. */
import {
  always,
  everyStep,
  leadsTo,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';

/** The lists of an `election` or `coordinator`; `of` and `starter` of an `ack`. */
type Fields = Readonly<Record<string, unknown>>;

/** The message of a step; none if it belongs to an earlier term, where elections are held again. */
function messageIn({ cause, after }: NodeStep): Fields {
  const message: Fields = cause.kind === 'message' ? { ...cause.message } : {};
  return message.term === undefined || message.term === after.context.term ? message : {};
}

const idsIn = (list: unknown): readonly NodeId[] => (Array.isArray(list) ? list.map(String) : []);

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The messages of a step that go round the ring. */
const handedOn = ({ sent }: NodeStep): readonly Fields[] =>
  sent
    .map(({ message }): Fields => ({ ...message }))
    .filter(({ type }) => type !== 'ack')
    .map(({ type, list, informed }) => ({ type, list, informed }));

/** CI1: what a node sends that starts an election. */
const ownElection = ({ id }: NodeView): readonly Fields[] => [{ type: 'election', list: [id] }];

/** What a node sends when it gets a command or a message. */
function messagesDue(step: NodeStep, isAsleep: boolean): readonly Fields[] {
  const { before, cause } = step;
  const { id } = before;
  if (cause.kind === 'command') return isAsleep ? ownElection(before) : [];
  const { type, list, informed } = messageIn(step);
  if (type === 'coordinator')
    return idsIn(informed).includes(id) ? [] : [{ type, list, informed: [...idsIn(informed), id] }];
  if (type !== 'election') return [];
  return [
    idsIn(list).includes(id)
      ? { type: 'coordinator', list, informed: [id] }
      : { type, list: [...idsIn(list), id] },
  ];
}

const isAsleep = ({ tags }: NodeView): boolean => !tags.has('waiting') && !tags.has('decided');

const largestOf = (list: unknown): NodeId | undefined => [...idsIn(list)].sort().at(-1);

export const rounds: readonly Property[] = [
  everyStep(
    'a node adds its id to a message and hands it on, until the message finds its id',
    (step) =>
      step.cause.kind === 'timeout' ||
      isSame(handedOn(step), messagesDue(step, isAsleep(step.before))),
  ),
  everyStep('a node sends to the next node of the ring, or acknowledges', ({ after, sent }) =>
    sent.every(
      ({ to, message }) =>
        message.type === 'ack' ||
        (Array.isArray(after.context.ring) && after.context.ring[0] === to),
    ),
  ),
  everyStep('a node that learns of a leader learns of the largest id of the list', (step) => {
    const isNews =
      step.cause.kind === 'message' && step.after.context.leader !== step.before.context.leader;
    return !isNews || step.after.context.leader === largestOf(messageIn(step).list);
  }),
  everyStep('a node whose announcement comes back terminates', (step) => {
    const { type, informed } = messageIn(step);
    return (
      type !== 'coordinator' ||
      !idsIn(informed).includes(step.before.id) ||
      step.after.tags.has('terminated')
    );
  }),
  always('a node that knows a leader knows another one, or is the leader', (system) =>
    system
      .tagged('decided')
      .every(
        ({ id, context, tags }) =>
          context.leader !== null && (context.leader === id) === tags.has('leader'),
      ),
  ),
];

const unacknowledged = ({ context }: NodeView): readonly unknown[] =>
  Array.isArray(context.unacknowledged) ? context.unacknowledged : [];

/**
 * The problem where nodes may crash: the leader that the nodes know may have crashed, and some of
 * them may know that already.
 */
export const amongLive: readonly Property[] = [
  always('all nodes that know a live leader know the same one', (system) => {
    const live = new Set<unknown>(
      system.nodes.filter(({ crashed }) => !crashed).map(({ id }) => id),
    );
    return system.distinct('decided', 'leader').filter((leader) => live.has(leader)).length <= 1;
  }),
  always('all nodes know the same leader when no message is on its way', (system) => {
    const isQuiet =
      system.inFlight().length === 0 &&
      system.nodes.every((node) => node.crashed || unacknowledged(node).length === 0);
    return !isQuiet || system.distinct('decided', 'leader').length <= 1;
  }),
  leadsTo(
    'every node that waits eventually knows a leader',
    ({ tags }) => tags.has('waiting'),
    ({ tags }) => tags.has('decided'),
  ),
  everyStep('a node replaces a leader only by a smaller one', ({ before, after }) => {
    if (!before.tags.has('decided')) return true;
    return (
      after.tags.has('decided') && String(after.context.leader) <= String(before.context.leader)
    );
  }),
  always('the leader has the largest id of the live nodes', (system) =>
    system
      .tagged('leader')
      .every(({ id }) => system.nodes.every((other) => other.crashed || other.id <= id)),
  ),
];

/** CI10: the time-out of a node that waits for the leader. */
const isOwnStart = (timer: string): boolean => timer.includes('patience');

export const acknowledgements: readonly Property[] = [
  everyStep('a node that has waited too long for the leader starts again', (step) => {
    const { cause, before } = step;
    return (
      cause.kind !== 'timeout' ||
      !isOwnStart(cause.timer) ||
      isSame(handedOn(step), ownElection(before))
    );
  }),
  everyStep('a node acknowledges each message once', (step) => {
    const { type, list } = messageIn(step);
    const acks = step.sent.filter(({ message }) => message.type === 'ack');
    if (step.cause.kind !== 'message' || type === 'ack') return acks.length === 0;
    const [ack] = acks;
    return (
      acks.length === 1 &&
      ack?.to === step.cause.from &&
      isSame(ack.message, { type: 'ack', of: type, starter: idsIn(list)[0] })
    );
  }),
  everyStep(
    'after a time-out, a node leaves the next one out, and sends what it has not acknowledged',
    (step) => {
      const { before, after, cause } = step;
      const ring = idsIn(before.context.ring);
      if (cause.kind !== 'timeout' || isOwnStart(cause.timer))
        return isSame(after.context.ring, ring);
      return (
        isSame(after.context.ring, ring.slice(1)) &&
        (ring.length === 1 || isSame(handedOn(step), unacknowledged(before)))
      );
    },
  ),
];
