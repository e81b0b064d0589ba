/**
 * The problem of reliable multicast to a known group: its command, its notification, its history
 * variable and its properties.
 */
import {
  always,
  alwaysEventually,
  type Json,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';

/** MULTICAST: send `data` to all members of the group. */
export type Command = { readonly type: 'multicast'; readonly data: Json };

/** DELIVER: message number `sequence` (1, 2, 3 …) of member `from`. */
export type Deliver = {
  readonly type: 'deliver';
  readonly from: NodeId;
  readonly sequence: number;
  readonly data: Json;
};

/** The commands of a protocol for this problem. */
export const commands = {
  multicast: {
    kind: 'optional',
    fields: ['data'],
    meaning: 'sends `data` to all members',
    examples: [{ data: 'x' }, { data: 'y' }],
  },
} as const;

/**
 * What a member did, in its order: it multicast a message, or delivered one. Its own messages count
 * from 1.
 */
export type MulticastEvent = {
  readonly kind: 'multicast' | 'deliver';
  readonly from: NodeId;
  readonly sequence: number;
  readonly data: Json;
};

export type MulticastHistory = readonly MulticastEvent[];

/**
 * The history variable: what a member has multicast and delivered so far. Only properties see it.
 */
export const multicastHistory = {
  initial: (): MulticastHistory => [],
  after: (
    history: MulticastHistory,
    { before: { id }, cause, notified }: NodeStep,
  ): MulticastHistory => {
    const isMulticast = cause.kind === 'command' && cause.command.type === 'multicast';
    const sequence = 1 + ofKind(history, 'multicast').length;
    const made = isMulticast
      ? [{ kind: 'multicast', from: id, sequence, data: Object(cause.command).data } as const]
      : [];
    const delivered = notified
      .filter(({ type }) => type === 'deliver')
      .map((notification) => ({
        ...(notification as unknown as Deliver),
        kind: 'deliver' as const,
      })); // the notification of this problem
    const events = [
      ...made,
      ...delivered.map(({ kind, from, sequence, data }) => ({ kind, from, sequence, data })),
    ];
    return events.length === 0 ? history : [...history, ...events];
  },
};

type Identity = Pick<MulticastEvent, 'from' | 'sequence'>;

const ofKind = (history: MulticastHistory, kind: MulticastEvent['kind']): MulticastHistory =>
  history.filter((event) => event.kind === kind);

const isSame = (one: Identity, other: Identity): boolean =>
  one.from === other.from && one.sequence === other.sequence;

const has = (events: MulticastHistory, one: Identity): boolean =>
  events.some((event) => isSame(event, one));

// of this problem; an embedded node has none
const historyOf = ({ history }: NodeView): MulticastHistory => (history ?? []) as MulticastHistory;

/**
 * The events of one kind. Histories are immutable, and the same one is asked again in many states.
 */
function cacheEvents(kind: MulticastEvent['kind']): (node: NodeView) => MulticastHistory {
  const known = new WeakMap<MulticastHistory, MulticastHistory>();
  return (node) => {
    const history = historyOf(node);
    const events = known.get(history) ?? ofKind(history, kind);
    known.set(history, events);
    return events;
  };
}

/** What a member has multicast, in this order. */
export const multicastBy = cacheEvents('multicast');

/** What a member has delivered, in this order. */
export const deliveredBy = cacheEvents('deliver');

const liveNodes = ({ nodes }: SystemView): readonly NodeView[] =>
  nodes.filter(({ crashed }) => !crashed);

/** Whether each live member has delivered each of `messages`. */
const allHave = (system: SystemView, messages: MulticastHistory): boolean =>
  liveNodes(system).every((node) => {
    const delivered = deliveredBy(node);
    return messages.every((message) => has(delivered, message));
  });

/**
 * Integrity: nothing else is delivered, and nothing twice. Also a member that crashes later keeps
 * to it.
 */
export const integrity: Property = always(
  'each member delivers only what was multicast, and each message at most once',
  (system) =>
    system.nodes.every((node) => {
      const delivered = deliveredBy(node);
      return delivered.every((message, index) => {
        const made = multicastBy(system.node(message.from)).find((one) => isSame(one, message));
        return (
          made !== undefined &&
          JSON.stringify(made.data) === JSON.stringify(message.data) &&
          !has(delivered.slice(0, index), message)
        );
      });
    }),
);

/** Validity. The crash of the sender ends the obligation; see {@link agreement}. */
export const validity: Property = alwaysEventually(
  'all live members eventually deliver what a live member has multicast',
  (system) => liveNodes(system).every((sender) => allHave(system, multicastBy(sender))),
);

/** Agreement, also on the messages of a sender that crashed in the middle of sending. */
export const agreement: Property = alwaysEventually(
  'all live members eventually deliver what a live member has delivered',
  (system) => liveNodes(system).every((node) => allHave(system, deliveredBy(node))),
);

/** FIFO order: a member delivers message 1 of each sender, then 2, and so on. */
export const fifoOrder: Property = always(
  'the messages of each sender are delivered in the order in which it multicast them',
  ({ nodes }) =>
    nodes.every((node) => {
      const delivered = deliveredBy(node);
      return delivered.every(
        ({ from, sequence }, index) =>
          sequence === 1 || has(delivered.slice(0, index), { from, sequence: sequence - 1 }),
      );
    }),
);

/**
 * What a member had multicast and delivered before it multicast this message: its causal past,
 * without the past of that.
 */
function pastOf(system: SystemView, message: Identity): MulticastHistory {
  const history = historyOf(system.node(message.from));
  return history.slice(
    0,
    Math.max(
      0,
      history.findIndex((event) => event.kind === 'multicast' && isSame(event, message)),
    ),
  );
}

/**
 * Causal order: a message is delivered after its causal past. The past of the past follows by the
 * same rule.
 */
export const causalOrder: Property = always(
  'a member delivers each message after all that its sender had multicast or delivered before',
  (system) =>
    system.nodes.every((node) => {
      const delivered = deliveredBy(node);
      return delivered.every((message, index) => {
        const earlier = delivered.slice(0, index);
        return pastOf(system, message).every((cause) => has(earlier, cause));
      });
    }),
);

/** Total order, also of what a member delivered before its crash. */
export const totalOrder: Property = always(
  'any two members deliver their common messages in the same order',
  ({ nodes }) =>
    nodes.every((one, index) => {
      const first = deliveredBy(one);
      return nodes.slice(index + 1).every((other) => {
        const second = deliveredBy(other);
        const [both, same] = [
          first.filter((message) => has(second, message)),
          second.filter((message) => has(first, message)),
        ];
        return both.every((message, place) => isSame(message, same[place] ?? message));
      });
    }),
);

const deliversToAll: Property = sometimes('all members have delivered a message', (system) =>
  deliveredBy(system.nodes[0] as NodeView).some((message) =>
    system.nodes.every((node) => has(deliveredBy(node), message)),
  ),
);

/** What every reliable multicast guarantees, in FIFO order. */
export const reliableMulticast: readonly Property[] = [
  integrity,
  fifoOrder,
  validity,
  agreement,
  deliversToAll,
];
