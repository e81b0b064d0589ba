/**
 * Reliable multicast with acknowledgements, to a known group: FIFO per sender, relayed at first
 * receipt (V. Hadzilacos, S. Toueg, 1994). Complete network, any order, loss, duplication; n(n−1)
 * messages per multicast without loss. Rules AM1–AM6: README.md
 */

import {
  type Effect,
  type Json,
  type NodeId,
  notify,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { ofNode } from '../../by-node.js';
import { type OptionSchemas, oneOf, time, whole } from '../../options.js';
import type { Command, Deliver } from '../multicast.js';

export type Options = {
  /**
   * When a member sends on what it got: at the `first` receipt; at the `silence` of the origin,
   * which says when all have it; or `never`: then agreement does not survive the crash of the
   * origin. Default `first`.
   */
  readonly relay?: 'first' | 'silence' | 'never';
  /**
   * How long a member waits for answers before it retransmits, in milliseconds; in real time at
   * least 10. Default 300.
   */
  readonly timeout?: number;
  /** How often it retransmits a message before it gives up. Default 5. */
  readonly retransmissions?: number;
  /**
   * With `relay: 'silence'`: how long a member waits for its origin before it sends a message on,
   * in milliseconds; the same. Default 1000.
   */
  readonly patience?: number;
};

export const acknowledgedMulticastOptions: OptionSchemas<Options> = {
  relay: oneOf(
    ['first', 'silence', 'never'],
    'when a member sends on what it gets: first (receipt), silence (of the origin), or never',
  ),
  timeout: time('how long a member waits for answers before it sends again'),
  retransmissions: whole(0, 'how often a member sends again before it gives up'),
  patience: time('with relay silence: how long a member waits for the origin'),
};

// The parts of a member of an acknowledged multicast: what it knows, and its actions. Rules
// AM1–AM10: README.md

/** DATA: message number `sequence` of `origin`; its sender has it. ACK: the sender has it. */
export type Message =
  | {
      readonly type: 'data';
      readonly origin: NodeId;
      readonly sequence: number;
      readonly data: Json;
    }
  | { readonly type: 'ack'; readonly origin: NodeId; readonly sequence: number };

/** STABLE: all members have the message. */
export type SilentMessage =
  | Message
  | { readonly type: 'stable'; readonly origin: NodeId; readonly sequence: number };

type Data = Extract<Message, { readonly type: 'data' }>;
type Identity = Pick<Data, 'origin' | 'sequence'>;

/** A message that is not yet delivered, or not yet known to be at all members. */
export type Kept = Identity & {
  readonly data: Json;
  /** The members from which this one awaits that they have it. */
  readonly missing: readonly NodeId[];
  /** How often it may still be retransmitted. */
  readonly left: number;
};

export interface Input {
  readonly self: NodeId;
  /** The other members. */
  readonly others: readonly NodeId[];
  /**
   * Whether a member sends on what it gets at the first receipt, when the origin is silent, or
   * never.
   */
  readonly relay: 'first' | 'silence' | 'never';
  /** How long a member waits for acknowledgements, in milliseconds. */
  readonly timeout: number;
  /**
   * With relay 'silence': how long a member waits for the origin to say that all have the message.
   */
  readonly patience: number;
  /** How often a message is retransmitted. */
  readonly retransmissions: number;
  /** From stable storage, after a restart; as all fields below. */
  readonly sequence?: number;
  readonly delivered?: Readonly<Record<NodeId, number>>;
  readonly kept?: readonly Kept[];
}

export interface Context extends Input {
  /** The number of its last own message. */
  readonly sequence: number;
  /** By sender: the number of the last message delivered. */
  readonly delivered: Readonly<Record<NodeId, number>>;
  /** In the order of origin and number. */
  readonly kept: readonly Kept[];
}

/** OVERDUE: acknowledgements of a message are late; the machine raises it itself. */
type Event = Command | Received<SilentMessage> | ({ readonly type: 'overdue' } & Identity);

const base = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<SilentMessage, Deliver>;
  },
});

const isSame = (one: Identity, other: Identity): boolean =>
  one.origin === other.origin && one.sequence === other.sequence;

const timerOf = ({ origin, sequence }: Identity): string => `${origin} ${sequence}`;

const overdue = ({ origin, sequence }: Identity) =>
  ({ type: 'overdue', origin, sequence }) as const;

const isDelivered = (
  { delivered }: Pick<Context, 'delivered'>,
  { origin, sequence }: Identity,
): boolean => sequence <= (ofNode(delivered, origin) ?? 0);

const keptAs = ({ kept }: Context, message: Identity): Kept | undefined =>
  kept.find((one) => isSame(one, message));

const byOrigin = (one: Kept, other: Kept): number =>
  one.origin === other.origin ? one.sequence - other.sequence : one.origin < other.origin ? -1 : 1;

const withChange = ({ kept }: Context, message: Identity, change: Partial<Kept>): readonly Kept[] =>
  kept.map((one) => (isSame(one, message) ? { ...one, ...change } : one));

/** Forgets what is delivered and acknowledged by all. */
const keptAfter = (context: Pick<Context, 'delivered'>, kept: readonly Kept[]): readonly Kept[] =>
  kept.filter((one) => one.missing.length > 0 || !isDelivered(context, one));

/** Numbers an own message. Its origin delivers it at once. */
const number = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'multicast');
  const { self, others, kept, delivered, retransmissions } = context;
  const sequence = context.sequence + 1;
  const message = {
    origin: self,
    sequence,
    data: event.data,
    missing: others,
    left: retransmissions,
  };
  enqueue.assign({
    sequence,
    delivered: { ...delivered, [self]: sequence },
    kept: [...kept, message].sort(byOrigin),
  });
  enqueue.emit(notify({ type: 'deliver', from: self, sequence, data: event.data }));
});

const sendToAll = base.enqueueActions(({ context: { self, others, sequence }, event, enqueue }) => {
  assertEvent(event, 'multicast');
  for (const peer of others)
    enqueue.emit(send(peer, { type: 'data', origin: self, sequence, data: event.data }));
});

/** Starts the time-out of the message that this member just sent. */
const awaitAnswers = base.enqueueActions(({ context, event, enqueue }) => {
  const message =
    event.type === 'multicast'
      ? { origin: context.self, sequence: context.sequence }
      : (event as Data); // or what came
  if ((keptAs(context, message)?.missing.length ?? 0) > 0)
    enqueue.raise(overdue(message), { id: timerOf(message), delay: context.timeout });
});

/**
 * Keeps a message that comes for the first time. Its origin has it, and the member that sent it.
 */
const keep = base.assign(({ context, event }) => {
  assertEvent(event, 'data');
  const { origin, sequence, data, from } = event;
  const { relay, others, kept, retransmissions } = context;
  const missing =
    relay !== 'never' ? others.filter((peer) => peer !== origin && peer !== from) : [];
  // the first time-out brings no repetition
  const left = retransmissions + (relay === 'silence' ? 1 : 0);
  return { kept: [...kept, { origin, sequence, data, missing, left }].sort(byOrigin) };
});

/** Sends it on to the members that may not have it. */
const relay = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'data');
  const { origin, sequence, data } = event;
  for (const peer of keptAs(context, event)?.missing ?? [])
    enqueue.emit(send(peer, { type: 'data', origin, sequence, data }));
});

const acknowledge = base.enqueueActions(({ event, enqueue }) => {
  assertEvent(event, 'data');
  const { origin, sequence, from } = event;
  enqueue.emit(send(from, { type: 'ack', origin, sequence }));
});

/** Delivers the messages of this sender that have no gap before them. */
const deliver = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'data');
  const { origin } = event;
  let last = ofNode(context.delivered, origin) ?? 0;
  for (const { sequence, data } of context.kept.filter((one) => one.origin === origin)) {
    if (sequence !== last + 1) continue;
    last = sequence;
    enqueue.emit(notify({ type: 'deliver', from: origin, sequence, data }));
  }
  enqueue.assign({ delivered: { ...context.delivered, [origin]: last } });
});

/** The sender of this event has the message. */
const crossOff = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, ['data', 'ack']);
  const { from } = event;
  const missing = (keptAs(context, event)?.missing ?? []).filter((peer) => peer !== from);
  if (missing.length === 0) enqueue.cancel(timerOf(event));
  enqueue.assign({ kept: withChange(context, event, { missing }) });
});

const retransmit = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'overdue');
  const { origin, sequence } = event;
  const { data = null, missing = [], left = 0 } = keptAs(context, event) ?? {};
  for (const peer of missing) enqueue.emit(send(peer, { type: 'data', origin, sequence, data }));
  enqueue.assign({ kept: withChange(context, event, { left: left - 1 }) });
  enqueue.raise(overdue(event), { id: timerOf(event), delay: context.timeout });
});

const giveUp = base.assign(({ context, event }) => {
  assertEvent(event, 'overdue');
  return { kept: withChange(context, event, { missing: [] }) };
});

/** All members have an own message. */
const announce = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, ['data', 'ack']);
  const { origin, sequence } = event;
  for (const peer of context.others) enqueue.emit(send(peer, { type: 'stable', origin, sequence }));
});

const settle = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'stable');
  enqueue.cancel(timerOf(event));
  enqueue.assign({ kept: withChange(context, event, { missing: [] }) });
});

/** Starts the time-out for the origin of the message that just came. */
const awaitOrigin = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'data');
  if ((keptAs(context, event)?.missing.length ?? 0) > 0)
    enqueue.raise(overdue(event), { id: timerOf(event), delay: context.patience });
});

/** AM9 */
const forget = base.assign(({ context }) => ({ kept: keptAfter(context, context.kept) }));

/** After a restart: what stable storage says is not acknowledged is awaited again. */
const resume = base.enqueueActions(({ context, enqueue }) => {
  for (const one of context.kept)
    if (one.missing.length > 0)
      enqueue.raise(overdue(one), { id: timerOf(one), delay: context.timeout });
});

/** What a member knows at its start, or after a restart. */
const contextOf = (input: Input): Context => ({
  ...input,
  sequence: input.sequence ?? 0,
  delivered:
    input.delivered ??
    Object.fromEntries([...input.others, input.self].sort().map((id) => [id, 0])),
  kept: input.kept ?? [],
});

const member = base.extend({
  actions: {
    number,
    sendToAll,
    awaitAnswers,
    keep,
    relay,
    acknowledge,
    deliver,
    crossOff,
    retransmit,
    giveUp,
    forget,
    announce,
    settle,
    awaitOrigin,
    resume,
  },
  guards: {
    isNew: ({ context, event }) => {
      assertEvent(event, 'data');
      return !isDelivered(context, event) && keptAs(context, event) === undefined;
    },
    isAwaited: ({ context, event }) => {
      assertEvent(event, ['data', 'ack']);
      return keptAs(context, event)?.missing.includes(event.from) ?? false;
    },
    completes: ({ context, event }) => {
      assertEvent(event, 'ack');
      const { missing = [] } = keptAs(context, event) ?? {};
      return event.origin === context.self && missing.length === 1 && missing.includes(event.from);
    },
    mayRetransmit: ({ context, event }) => {
      assertEvent(event, 'overdue');
      return (keptAs(context, event)?.left ?? 0) > 0;
    },
    isAwaiting: ({ context }) => context.kept.some(({ missing }) => missing.length > 0),
    isSettled: ({ context }) => context.kept.every(({ missing }) => missing.length === 0),
  },
});

/** Sends on at the first receipt, or never. */
export const machine = member.createMachine({
  id: 'acknowledged-multicast',
  context: ({ input }) => contextOf(input),
  entry: 'resume', // AM10
  initial: 'settled',
  on: {
    multicast: { actions: ['number', 'sendToAll', 'awaitAnswers'], description: 'AM1' },
    data: [
      {
        guard: 'isNew',
        actions: ['keep', 'acknowledge', 'relay', 'awaitAnswers', 'deliver', 'forget'],
        description: 'AM2, AM3',
      },
      { guard: 'isAwaited', actions: ['crossOff', 'forget'], description: 'AM4' },
      { actions: 'acknowledge', description: 'AM5' },
    ],
  },
  states: {
    settled: {
      always: { guard: 'isAwaiting', target: 'awaiting' },
      on: { ack: { description: 'AM4: known' } },
    },
    awaiting: {
      tags: 'waiting',
      meta: { raises: ['overdue'] },
      always: { guard: 'isSettled', target: 'settled' },
      on: {
        ack: [
          { guard: 'isAwaited', actions: ['crossOff', 'forget'], description: 'AM4' },
          { description: 'AM4: known' },
        ],
        overdue: [
          { guard: 'mayRetransmit', actions: 'retransmit', description: 'AM6' },
          { actions: ['giveUp', 'forget'], description: 'AM7' },
        ],
      },
    },
  },
});

// The acknowledged multicast whose members send on at the silence of the origin: 3(n−1) messages
// per multicast without loss. AM8: README.md

export const silentMachine = member.createMachine({
  id: 'acknowledged-multicast',
  context: ({ input }) => contextOf(input),
  entry: 'resume', // AM10
  initial: 'settled',
  on: {
    multicast: { actions: ['number', 'sendToAll', 'awaitAnswers'], description: 'AM1' },
    data: [
      {
        guard: 'isNew',
        actions: ['keep', 'acknowledge', 'awaitOrigin', 'deliver', 'forget'],
        description: 'AM2, AM3, AM8',
      },
      { guard: 'isAwaited', actions: ['crossOff', 'forget'], description: 'AM4' },
      { actions: 'acknowledge', description: 'AM5' },
    ],
  },
  states: {
    settled: {
      always: { guard: 'isAwaiting', target: 'awaiting' },
      on: { ack: { description: 'AM4: known' }, stable: { description: 'AM8: known' } },
    },
    awaiting: {
      tags: 'waiting',
      meta: { raises: ['overdue'] },
      always: { guard: 'isSettled', target: 'settled' },
      on: {
        ack: [
          {
            guard: 'completes',
            actions: ['crossOff', 'announce', 'forget'],
            description: 'AM4, AM8',
          },
          { guard: 'isAwaited', actions: ['crossOff', 'forget'], description: 'AM4' },
          { description: 'AM4: known' },
        ],
        stable: { actions: ['settle', 'forget'], description: 'AM8' },
        overdue: [
          { guard: 'mayRetransmit', actions: 'retransmit', description: 'AM6, AM8' },
          { actions: ['giveUp', 'forget'], description: 'AM7' },
        ],
      },
    },
  },
});
