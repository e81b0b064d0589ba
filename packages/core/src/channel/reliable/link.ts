/**
 * One end of a reliable link: a sliding window (Stenning, Computer Networks 1:2, 1976) with
 * incarnations. Rules RL1–RL6: README.md
 */
import { assertEvent, setup } from 'xstate';
import {
  type Effect,
  type Json,
  type NodeId,
  notify,
  type Received,
  send,
} from '../../protocol/node.js';

/**
 * Both frames carry the incarnation of their sender, and the receiver's that they are addressed to
 * (0 while it is unknown).
 */
export type Frame =
  | {
      readonly type: 'data';
      readonly incarnation: number;
      readonly addressed: number;
      readonly seq: number;
      readonly payload: Json;
    }
  | {
      readonly type: 'ack';
      readonly incarnation: number;
      readonly addressed: number;
      readonly next: number;
    };

export type LinkCommand = { readonly type: 'transmit'; readonly payload: Json };

/**
 * Notifies the application once of each payload, in the order in which the other end was told to
 * transmit them.
 */
export type Deliver = { readonly type: 'deliver'; readonly payload: Json };

export interface LinkInput {
  readonly peer: NodeId;
  /** How often this end was started before; it is on stable storage. */
  readonly incarnation: number;
  /** Milliseconds to wait for an acknowledgement. */
  readonly retransmitAfter: number;
  /** How many payloads may be sent and not yet acknowledged. */
  readonly window: number;
}

export interface LinkContext extends LinkInput {
  /** The known incarnation of the other end; 0: none yet. */
  readonly met: number;
  /** The number of the first payload in `outbox`; all before it are acknowledged. */
  readonly base: number;
  readonly outbox: readonly Json[];
  /** The number of the next payload to deliver. */
  readonly expected: number;
  /** Payloads that arrived before their turn, in the order of their numbers. */
  readonly early: readonly { readonly seq: number; readonly payload: Json }[];
}

/**
 * How much of the outbox to send: one frame until the incarnation of the other end is known, since
 * it can take none before.
 */
const sizeOf = ({ met, window }: LinkContext): number => (met === 0 ? 1 : window);

/** The frames of that part of the outbox, without the first `sent`. */
function window(context: LinkContext, sent = 0): Frame[] {
  const { incarnation, met, base, outbox } = context;
  return outbox.slice(sent, sizeOf(context)).map((payload, index) => ({
    type: 'data',
    incarnation,
    addressed: met,
    seq: base + sent + index,
    payload,
  }));
}

const node = setup({
  types: {} as {
    input: LinkInput;
    context: LinkContext;
    events: LinkCommand | Received<Frame>;
    emitted: Effect<Frame, Deliver>;
  },
  delays: { retransmitAfter: ({ context }) => context.retransmitAfter },
});

const enqueue = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'transmit');
  const outbox = [...context.outbox, event.payload];
  enqueue.assign({ outbox });
  for (const frame of window({ ...context, outbox }, context.outbox.length))
    enqueue.emit(send(context.peer, frame));
});

const sendWindow = node.enqueueActions(({ context, enqueue }) => {
  for (const frame of window(context)) enqueue.emit(send(context.peer, frame));
});

const meet = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, ['data', 'ack']);
  if (event.incarnation === context.met) return;
  const session = { met: event.incarnation, base: 0, expected: 0, early: [] };
  enqueue.assign(session);
  for (const frame of window({ ...context, ...session })) enqueue.emit(send(context.peer, frame));
});

const accept = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'data');
  let { expected } = context;
  if (event.seq < expected || context.early.some(({ seq }) => seq === event.seq)) return;
  const early = [...context.early, { seq: event.seq, payload: event.payload }].sort(
    (x, y) => x.seq - y.seq,
  );
  for (let next = early[0]; next?.seq === expected; next = early[0]) {
    enqueue.emit(notify<Deliver>({ type: 'deliver', payload: next.payload }));
    early.shift();
    expected++;
  }
  enqueue.assign({ expected, early });
});

const acknowledge = node.emit(({ context }) =>
  send(context.peer, {
    type: 'ack',
    incarnation: context.incarnation,
    addressed: context.met,
    next: context.expected,
  }),
);

const crossOff = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'ack');
  const acknowledged = event.next - context.base;
  const sent = sentOf(context) - acknowledged;
  const rest = { base: event.next, outbox: context.outbox.slice(acknowledged) };
  enqueue.assign(rest);
  for (const frame of window({ ...context, ...rest }, sent))
    enqueue.emit(send(context.peer, frame));
});

/** How many payloads of the outbox have been sent. */
const sentOf = (context: LinkContext): number => Math.min(context.outbox.length, sizeOf(context));

/** How many more payloads `event` acknowledges; none, where it counts some that were never sent. */
function newlyAcknowledged(context: LinkContext, event: LinkCommand | Received<Frame>): number {
  assertEvent(event, 'ack');
  const isOurs = event.incarnation === context.met && event.addressed === context.incarnation;
  const count = event.next - context.base;
  return isOurs && count <= sentOf(context) ? count : 0;
}

export const machine = node
  .extend({
    actions: { enqueue, sendWindow, meet, accept, acknowledge, crossOff },
    guards: {
      isStale: ({ context, event }) => {
        assertEvent(event, 'data');
        return event.incarnation < context.met;
      },
      isForUs: ({ context, event }) => {
        assertEvent(event, 'data');
        return event.addressed === context.incarnation;
      },
      isNewcomer: ({ context, event }) => {
        assertEvent(event, 'ack');
        return event.incarnation > context.met;
      },
      acknowledgesAll: ({ context, event }) =>
        newlyAcknowledged(context, event) === context.outbox.length,
      acknowledgesSome: ({ context, event }) => newlyAcknowledged(context, event) > 0,
    },
  })
  .createMachine({
    id: 'reliable-link',
    context: ({ input }) => ({
      ...input,
      incarnation: input.incarnation + 1,
      met: 0,
      base: 0,
      outbox: [],
      expected: 0,
      early: [],
    }),
    on: {
      data: [
        { guard: 'isStale' }, // RL6
        { guard: 'isForUs', actions: ['meet', 'accept', 'acknowledge'] }, // RL2, RL3
        { actions: ['meet', 'acknowledge'] }, // RL6
      ],
      // RL6; any other ack acknowledges nothing new
      ack: [{ guard: 'isNewcomer', actions: 'meet' }, {}],
    },
    initial: 'idle',
    states: {
      idle: {
        on: { transmit: { target: 'waiting', actions: 'enqueue' } }, // RL1
      },
      waiting: {
        tags: 'waiting',
        // RL5
        after: { retransmitAfter: { target: 'waiting', reenter: true, actions: 'sendWindow' } },
        on: {
          transmit: { actions: 'enqueue' }, // RL1
          ack: [
            { guard: 'acknowledgesAll', target: 'idle', actions: 'crossOff' }, // RL4
            // RL4
            { guard: 'acknowledgesSome', target: 'waiting', reenter: true, actions: 'crossOff' },
          ],
        },
      },
    },
  });
