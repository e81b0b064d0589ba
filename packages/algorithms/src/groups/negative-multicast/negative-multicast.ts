/**
 * Reliable multicast with negative acknowledgements: receivers ask for gaps, session messages tell
 * the largest numbers, as in SRM (S. Floyd, V. Jacobson, C. Liu, S. McCanne, L. Zhang, IEEE/ACM
 * Transactions on Networking 5:6, 1997); a message is kept until it is stable. Complete network,
 * any order, loss and duplication; (k+3)(n−1) messages for k multicasts of one sender in one
 * period. Rules NM1–NM11: README.md
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
import { type OptionSchemas, time } from '../../options.js';
import type { Command, Deliver } from '../multicast.js';
import {
  afterReport,
  everywhere,
  holders,
  isBuffered,
  type Knowledge,
  laggingMembers,
  lastDelivered,
  type MessageId,
  missingMessages,
  missingUpTo,
  newlyMissing,
  next,
  unstableMessages,
  type Vector,
  withDelivered,
  withMessage,
} from './knowledge.js';

/** In real time, each at least 10. */
export type Options = {
  /**
   * How long a sender whose messages may not be everywhere waits before each summary, in
   * milliseconds. Default 500.
   */
  readonly period?: number;
  /**
   * How long another member waits for a summary before it sends one itself, in milliseconds.
   * Default 900.
   */
  readonly patience?: number;
  /** After how many milliseconds a member asks again for a message that it lacks. Default 300. */
  readonly retry?: number;
};

export const negativeMulticastOptions: OptionSchemas<Options> = {
  period: time('how long a sender waits before each summary'),
  patience: time('how long another member waits for a summary before it sends one itself'),
  retry: time('after how long a member asks again for a message that it lacks'),
};

// Messages, context, actions and guards of a member: rules NM1–NM11.

interface Report {
  /** Up to which messages the sender has delivered them. */
  readonly delivered: Vector;
  /** Up to which messages it knows all members to have delivered them. */
  readonly stable: Vector;
}

/**
 * DATA: a message of `origin`. NACK: send me these. SUMMARY: I have this, answer. REPORT: I have
 * this.
 */
export type Message =
  | {
      readonly type: 'data';
      readonly origin: NodeId;
      readonly sequence: number;
      readonly data: Json;
    }
  | { readonly type: 'nack'; readonly missing: readonly MessageId[] }
  | ({ readonly type: 'summary' } & Report)
  | ({ readonly type: 'report' } & Report);

interface Input extends Pick<Knowledge, 'self' | 'others' | 'known' | 'buffer'> {
  /**
   * How long a sender whose messages are not stable waits before each summary, in milliseconds, as
   * all times here.
   */
  readonly period: number;
  /** How long another member waits for the sender's summary before it sends one itself. */
  readonly patience: number;
  /** After how long a member asks again. */
  readonly retry: number;
}

interface Context extends Input {
  /** Whose turn it is to be asked again: counts up to the number of the others. */
  readonly attempt: number;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message, Deliver> },
});

/** The senders of the delivered messages that this member keeps. */
const keptSenders = (context: Context): readonly NodeId[] =>
  context.buffer
    .filter(({ origin, sequence }) => sequence <= lastDelivered(context, origin))
    .map(({ origin }) => origin);

/** NM1: the message with its number. */
const number = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'multicast');
  const { self, others } = context;
  const message = { origin: self, sequence: lastDelivered(context, self) + 1, data: event.data };
  enqueue.assign(withMessage(context, message));
  for (const id of others) enqueue.emit(send(id, { type: 'data', ...message }));
});

const hold = node.assign(({ context, event }) => {
  assertEvent(event, 'data');
  const { origin, sequence, data } = event;
  return withMessage(context, { origin, sequence, data });
});

const deliver = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, ['multicast', 'data']);
  const origin = event.type === 'data' ? event.origin : context.self;
  let knowledge: Knowledge = context;
  for (let due = next(knowledge, origin); due; due = next(knowledge, origin)) {
    knowledge = withDelivered(knowledge, due);
    enqueue.emit(
      notify({ type: 'deliver', from: due.origin, sequence: due.sequence, data: due.data }),
    );
  }
  enqueue.assign({ known: knowledge.known });
});

const discard = node.assign(({ context }) => ({ buffer: unstableMessages(context) }));

/** Asks the one from whom this member has learnt of the messages. */
const ask = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, ['data', 'summary', 'report']);
  const wanted =
    event.type === 'data' ? newlyMissing(context, event) : missingUpTo(context, event.delivered);
  if (wanted.length > 0) enqueue.emit(send(event.from, { type: 'nack', missing: wanted }));
});

/** Asks, for each message, the next one who is known to have it. */
const askAgain = node.enqueueActions(({ context, enqueue }) => {
  const { others } = context;
  const attempt = (context.attempt + 1) % others.length;
  enqueue.assign({ attempt });
  const asked = missingMessages(context).map((id) => {
    const having = holders(context, id);
    return { id, holder: having[attempt % having.length] };
  });
  for (const other of others) {
    const wanted = asked.filter(({ holder }) => holder === other).map(({ id }) => id);
    if (wanted.length > 0) enqueue.emit(send(other, { type: 'nack', missing: wanted }));
  }
});

const retransmit = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'nack');
  for (const { origin, sequence } of event.missing) {
    const kept = context.buffer.find(
      (message) => message.origin === origin && message.sequence === sequence,
    );
    if (kept) enqueue.emit(send(event.from, { type: 'data', ...kept }));
  }
});

const learn = node.assign(({ context, event }) => {
  assertEvent(event, ['summary', 'report']);
  return { known: afterReport(context, event.from, event.delivered, event.stable) };
});

const reportOf = (context: Context): Report => ({
  delivered: ofNode(context.known, context.self) ?? {},
  stable: everywhere(context),
});

const summarize = node.enqueueActions(({ context, enqueue }) => {
  for (const id of laggingMembers(context))
    enqueue.emit(send(id, { type: 'summary', ...reportOf(context) }));
});

/** Asks the senders of the messages that this member keeps. */
const probe = node.enqueueActions(({ context, enqueue }) => {
  const senders = keptSenders(context);
  for (const id of context.others)
    if (senders.includes(id)) enqueue.emit(send(id, { type: 'summary', ...reportOf(context) }));
});

const report = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'summary');
  enqueue.emit(send(event.from, { type: 'report', ...reportOf(context) }));
});

const reportAll = node.enqueueActions(({ context, enqueue }) => {
  for (const id of context.others) enqueue.emit(send(id, { type: 'report', ...reportOf(context) }));
});

const member = node.extend({
  actions: {
    number,
    hold,
    deliver,
    discard,
    ask,
    askAgain,
    retransmit,
    learn,
    summarize,
    probe,
    report,
    reportAll,
  },
  guards: {
    isDuplicate: ({ context, event }) => {
      assertEvent(event, 'data');
      return event.sequence <= lastDelivered(context, event.origin) || isBuffered(context, event);
    },
    showsGap: ({ context, event }) => {
      assertEvent(event, ['summary', 'report']);
      return missingUpTo(context, event.delivered).length > 0;
    },
    lacks: ({ context }) => missingMessages(context).length > 0,
    lacksNothing: ({ context }) => missingMessages(context).length === 0,
    ownUnstable: ({ context }) => keptSenders(context).includes(context.self),
    ownStable: ({ context }) => !keptSenders(context).includes(context.self),
    someUnstable: ({ context }) => keptSenders(context).length > 0,
    allStable: ({ context }) => keptSenders(context).length === 0,
    isFromOnlySender: ({ context, event }) => {
      assertEvent(event, 'report');
      return keptSenders(context).every((origin) => origin === event.from);
    },
  },
  delays: {
    period: ({ context }) => context.period,
    patience: ({ context }) => context.patience,
    retry: ({ context }) => context.retry,
  },
});

export const machine = member.createMachine({
  id: 'negative-multicast',
  type: 'parallel',
  context: ({ input }) => ({ ...input, attempt: 0 }),
  states: {
    receiver: {
      initial: 'complete',
      on: {
        multicast: { actions: ['number', 'deliver', 'discard'], description: 'NM1' },
        data: [
          { guard: 'isDuplicate', description: 'NM3: a duplicate' },
          { actions: ['ask', 'hold', 'deliver', 'discard'], description: 'NM2, NM4' },
        ],
        nack: { actions: 'retransmit', description: 'NM5' },
        summary: [
          { guard: 'showsGap', actions: ['ask', 'learn', 'discard'], description: 'NM9' },
          { actions: ['learn', 'discard', 'report'], description: 'NM9' },
        ],
        report: [
          { guard: 'showsGap', actions: ['ask', 'learn', 'discard'], description: 'NM10' },
          { actions: ['learn', 'discard'], description: 'NM10' },
        ],
      },
      states: {
        complete: { always: { guard: 'lacks', target: 'incomplete', description: 'NM6' } },
        incomplete: {
          tags: 'waiting',
          always: { guard: 'lacksNothing', target: 'complete', description: 'NM6' },
          after: {
            retry: {
              target: 'incomplete',
              reenter: true,
              actions: 'askAgain',
              description: 'NM6',
            },
          },
        },
      },
    },
    sender: {
      initial: 'stable',
      states: {
        stable: {
          always: [
            { guard: 'ownUnstable', target: 'announcing', description: 'NM7' },
            { guard: 'someUnstable', target: 'standby', description: 'NM8' },
          ],
        },
        announcing: {
          always: {
            guard: 'ownStable',
            target: 'stable',
            actions: 'reportAll',
            description: 'NM11',
          },
          after: {
            period: {
              target: 'announcing',
              reenter: true,
              actions: 'summarize',
              description: 'NM7',
            },
          },
        },
        standby: {
          always: [
            { guard: 'ownUnstable', target: 'announcing', description: 'NM7' },
            { guard: 'allStable', target: 'stable', description: 'NM10' },
          ],
          initial: 'listening',
          states: {
            listening: {
              on: { summary: { target: 'listening', reenter: true, description: 'NM8' } },
              after: { patience: { target: 'probing', actions: 'probe', description: 'NM8' } },
            },
            probing: {
              on: {
                summary: { target: 'listening', description: 'NM8' },
                report: { guard: 'isFromOnlySender', target: 'listening', description: 'NM8' },
              },
              after: { retry: { target: 'listening', actions: 'summarize', description: 'NM8' } },
            },
          },
        },
      },
    },
  },
});
