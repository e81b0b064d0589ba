/**
 * Totally ordered multicast by a sequencer (M. F. Kaashoek, A. S. Tanenbaum, S. Flynn Hummel, H. E.
 * Bal: ACM Operating Systems Review 23:4, 1989), which the members elect by LeLann–Chang–Roberts.
 * Known group, reliable channels, any order; n messages each, n−1 for those of the sequencer. Rules
 * TS1–TS6: README.md
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
import { compose } from '../../composition/region.js';
import { machine as lelannChangRoberts } from '../../election/lelann-chang-roberts/lelann-chang-roberts.js';
import { type OptionSchemas, text } from '../../options.js';
import type { Command, Deliver } from '../multicast.js';

export type Options = {
  /** The sequencer. Default: the members elect one. */
  readonly sequencer?: NodeId;
};

export const totalMulticastOptions: OptionSchemas<Options> = {
  sequencer: text('the member that numbers the multicasts; by default the members elect it'),
};

/** A multicast of `sender`, its `sequence`-th. */
interface Multicast {
  readonly sender: NodeId;
  readonly sequence: number;
  readonly data: Json;
}

interface Numbered extends Multicast {
  readonly number: number;
}

/** REQUEST asks the sequencer for a number; NUMBERED carries a multicast and its number. */
export type OrderMessage =
  | ({ readonly type: 'request' } & Omit<Multicast, 'sender'>)
  | ({ readonly type: 'numbered' } & Numbered);

/** ELECTION and ELECTED of the election, under the names that they have here. */
type ElectionMessage =
  | { readonly type: 'election-election'; readonly id: NodeId }
  | { readonly type: 'election-elected'; readonly id: NodeId };

export type Message = OrderMessage | ElectionMessage;

export type Input = {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
  /** The sequencer; null if the members elect one. */
  readonly sequencer: NodeId | null;
};

interface Context extends Input {
  /** How many multicasts the application has given this member. */
  readonly sequence: number;
  /**
   * Without a number: at the sequencer all that have been requested, elsewhere this member's own
   * until the sequencer is known.
   */
  readonly pending: readonly Multicast[];
  /** By member: how many of its multicasts have been delivered here. */
  readonly delivered: Readonly<Record<NodeId, number>>;
  /** The numbered multicasts that have not been delivered here, in the order of their arrival. */
  readonly delayed: readonly Numbered[];
  /** The part that is the election, if there is one. */
  readonly election?: { readonly leader: NodeId | null };
}

export type Event = Command | Received<Message> | { readonly type: 'election-elect' };

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message, Deliver> },
});

const sequencerOf = ({ sequencer, election }: Context): NodeId | null =>
  sequencer ?? election?.leader ?? null;

const deliveredOf = ({ delivered }: Context, sender: NodeId): number =>
  ofNode(delivered, sender) ?? 0;

/** The number of the last multicast that has been delivered here. */
const lastNumber = ({ delivered }: Context): number =>
  Object.values(delivered).reduce((sum, count) => sum + count, 0);

/** Which request the sequencer numbers next. */
type Choice = (context: Context) => Multicast | undefined;

/** The first one that is its member's next. */
const inOrderOfSender: Choice = (context) =>
  context.pending.find(({ sender, sequence }) => sequence === deliveredOf(context, sender) + 1);

const nextNumbered = (context: Context): Numbered | undefined =>
  context.delayed.find(({ number }) => number === lastNumber(context) + 1);

const delivery = ({ sender, sequence, data }: Multicast) =>
  notify<Deliver>({ type: 'deliver', from: sender, sequence, data });

const countDelivered = (context: Context, { sender }: Multicast) => ({
  ...context.delivered,
  [sender]: deliveredOf(context, sender) + 1,
});

const count = node.assign(({ context }) => ({ sequence: context.sequence + 1 }));

const keep = node.assign(({ context: { self, sequence, pending }, event }) => {
  assertEvent(event, 'multicast');
  return { pending: [...pending, { sender: self, sequence, data: event.data }] };
});

const request = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'multicast');
  const sequencer = sequencerOf(context);
  if (sequencer !== null)
    enqueue.emit(
      send(sequencer, { type: 'request', sequence: context.sequence, data: event.data }),
    );
});

const requestPending = node.enqueueActions(({ context, enqueue }) => {
  const sequencer = sequencerOf(context);
  if (sequencer === null) return;
  for (const { sequence, data } of context.pending)
    enqueue.emit(send(sequencer, { type: 'request', sequence, data }));
  enqueue.assign({ pending: [] });
});

const queue = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return {
    pending: [
      ...context.pending,
      { sender: event.from, sequence: event.sequence, data: event.data },
    ],
  };
});

/** The sequencer gives the next number to the request that `choice` takes. */
export const numberBy = (choice: Choice) =>
  node.enqueueActions(({ context, enqueue }) => {
    const next = choice(context);
    if (!next) return;
    for (const peer of context.peers)
      enqueue.emit(send(peer, { type: 'numbered', number: lastNumber(context) + 1, ...next }));
    enqueue.emit(delivery(next));
    enqueue.assign({
      delivered: countDelivered(context, next),
      pending: context.pending.filter((other) => other !== next),
    });
  });

const delay = node.assign(({ context, event }) => {
  assertEvent(event, 'numbered');
  const { number, sender, sequence, data } = event;
  return { delayed: [...context.delayed, { number, sender, sequence, data }] };
});

const deliver = node.enqueueActions(({ context, enqueue }) => {
  const next = nextNumbered(context);
  if (!next) return;
  enqueue.emit(delivery(next));
  enqueue.assign({
    delivered: countDelivered(context, next),
    delayed: context.delayed.filter((other) => other !== next),
  });
});

const member = node.extend({
  actions: {
    count,
    keep,
    request,
    requestPending,
    queue,
    number: numberBy(inOrderOfSender),
    delay,
    deliver,
    elect: node.raise({ type: 'election-elect' }),
  },
  guards: {
    isSequencer: ({ context }) => sequencerOf(context) === context.self,
    knowsSequencer: ({ context }) => sequencerOf(context) !== null,
    isRepeated: ({ context, event }) => {
      assertEvent(event, 'request');
      const { from, sequence } = event;
      const isPending = context.pending.some(
        (other) => other.sender === from && other.sequence === sequence,
      );
      return isPending || sequence <= deliveredOf(context, from);
    },
    isDuplicate: ({ context, event }) => {
      assertEvent(event, 'numbered');
      return (
        event.number <= lastNumber(context) ||
        context.delayed.some((other) => other.number === event.number)
      );
    },
    hasNextPending: ({ context }) => inOrderOfSender(context) !== undefined,
    hasNextNumbered: ({ context }) => nextNumbered(context) !== undefined,
  },
});

/** What a member does when it knows the sequencer. */
const settling = [
  { guard: 'isSequencer', target: 'sequencing', description: 'TS2' },
  { guard: 'knowsSequencer', target: 'following', actions: 'requestPending', description: 'TS2' },
] as const;

/** The states of a member that knows the sequencer. */
const settled = {
  following: member.createStateConfig({
    on: { multicast: { actions: ['count', 'request'], description: 'TS3' } },
  }),
  sequencing: member.createStateConfig({
    tags: 'sequencer',
    always: { guard: 'hasNextPending', actions: 'number', description: 'TS4' },
    on: {
      multicast: { actions: ['count', 'keep'], description: 'TS4' },
      request: [
        { guard: 'isRepeated', description: 'TS6: has a number, or is pending' },
        { actions: 'queue', description: 'TS4' },
      ],
    },
  }),
};

const receiver = member.createStateConfig({
  always: { guard: 'hasNextNumbered', actions: 'deliver', description: 'TS5' },
  on: {
    numbered: [
      { guard: 'isDuplicate', description: 'TS6: delivered, or delayed' },
      { actions: 'delay', description: 'TS5' },
    ],
  },
});

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  sequence: 0,
  pending: [],
  delivered: Object.fromEntries([input.self, ...input.peers].sort().map((id) => [id, 0])),
  delayed: [],
});

/** A member of a group whose sequencer is given. */
export const machine = member.createMachine({
  id: 'total-multicast',
  type: 'parallel',
  context,
  states: {
    sender: {
      initial: 'unsettled',
      states: { unsettled: member.createStateConfig({ always: settling }), ...settled },
    },
    receiver,
  },
});

/**
 * A member of a group that elects its sequencer by LeLann–Chang–Roberts, whose machine is one more
 * region.
 */
export const electingMachine = compose(
  member.createMachine({
    id: 'electing-total-multicast',
    type: 'parallel',
    context,
    states: {
      sender: {
        initial: 'unsettled',
        states: {
          unsettled: member.createStateConfig({
            always: settling,
            on: { multicast: { actions: ['count', 'keep', 'elect'], description: 'TS1' } },
          }),
          ...settled,
        },
      },
      receiver,
    },
  }),
  { election: lelannChangRoberts },
);
