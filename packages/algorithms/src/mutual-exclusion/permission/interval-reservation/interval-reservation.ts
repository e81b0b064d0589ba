/**
 * Ricart–Agrawala (CACM 24:1, 1981) with a conflict relation. 2(n−1) messages per entry; reliable
 * channels, any order. Rules IR1–IR5: README.md
 */
import {
  always,
  type Effect,
  type NodeView,
  type Property,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import {
  allReplied,
  crossOff,
  defer,
  fenceOf,
  type Input,
  oursIsOlder,
  type Permissions,
  reply,
  replyDeferred,
  stamp,
  witness,
} from '../building-blocks/permissions.js';

/**
 * From `from` up to and without `to`, in any unit, such as minutes since midnight; `from` < `to`.
 */
export type Interval = { readonly from: number; readonly to: number };

/** Whether some moment is in both; half-open intervals that only touch do not overlap. */
export const overlap = (one: Interval, other: Interval): boolean =>
  one.from < other.to && other.from < one.to;

/** Whether a value of a context is an interval. */
export const isInterval = (value: unknown): value is Interval =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;

// Properties of reservations, whatever conflicts.

/** Conflicting reservations are in the order of requests. */
export const fence = (node: NodeView): number => fenceOf(node.context.requestedAt, node);

export const fenceCondition = 'between reservations that conflict; compatible ones have no order';

/** @param conflict symmetric */
export const waitingIsLarger = (conflict: (one: NodeView, other: NodeView) => boolean): Property =>
  always(
    'of two conflicting reservations the waiting one has the larger fencing token',
    (system) => {
      const waiting = system.tagged('waiting');
      return system
        .tagged('critical')
        .every((one) =>
          waiting.every((other) => !conflict(one, other) || fence(one) < fence(other)),
        );
    },
  );

export type Command =
  | { readonly type: 'acquire'; readonly interval: Interval }
  | { readonly type: 'release' };

/** REQUEST carries its time stamp and an interval; REPLY is the permission to hold it. */
export type Message =
  | { readonly type: 'request'; readonly ts: number; readonly interval: Interval }
  | { readonly type: 'reply' };

interface Context extends Permissions {
  /** The interval that this node requests or holds, or held last. */
  readonly interval: Interval;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const stampInterval = node.assign(({ context, event }) => {
  assertEvent(event, 'acquire');
  return { ...stamp({ context, event }), interval: event.interval };
});

const requestInterval = node.enqueueActions(({ context, enqueue }) => {
  const { requestedAt: ts, interval } = context;
  for (const peer of context.peers) enqueue.emit(send(peer, { type: 'request', ts, interval }));
});

/** Whether the requested interval may be held beside the own one. */
export const compatibleUnder =
  (conflicts: typeof overlap) =>
  ({ context, event }: { readonly context: Context; readonly event: Event }): boolean => {
    assertEvent(event, 'request');
    return !conflicts(context.interval, event.interval);
  };

/** How a node requests, holds and gives back what conflicts with what others want: IR1–IR5. */
export const reservation = {
  initial: 'released',
  states: {
    released: {
      on: {
        acquire: { target: 'wanted', actions: ['stamp', 'requestAll'], description: 'IR1' },
        request: { actions: ['witness', 'reply'], description: 'IR2' },
      },
    },
    wanted: {
      tags: 'waiting',
      always: { guard: 'allReplied', target: 'held', description: 'IR4' },
      on: {
        request: [
          { guard: 'compatible', actions: ['witness', 'reply'], description: 'IR2' },
          { guard: 'oursIsOlder', actions: ['witness', 'defer'], description: 'IR3' },
          { actions: ['witness', 'reply'], description: 'IR2' },
        ],
        reply: { actions: 'crossOff', description: 'IR4' },
      },
    },
    held: {
      tags: 'critical',
      on: {
        request: [
          { guard: 'compatible', actions: ['witness', 'reply'], description: 'IR2' },
          { actions: ['witness', 'defer'], description: 'IR3' },
        ],
        release: { target: 'released', actions: 'replyDeferred', description: 'IR5' },
      },
    },
  },
} as const;

export const machine = node
  .extend({
    actions: {
      stamp: stampInterval,
      witness: node.assign(witness),
      requestAll: requestInterval,
      reply: node.emit(reply),
      defer: node.assign(defer),
      crossOff: node.assign(crossOff),
      replyDeferred: node.enqueueActions(replyDeferred),
    },
    guards: { compatible: compatibleUnder(overlap), allReplied, oursIsOlder },
  })
  .createMachine({
    id: 'interval-reservation',
    context: ({ input }) => ({
      ...input,
      clock: 0,
      requestedAt: 0,
      interval: { from: 0, to: 0 },
      awaiting: [],
      deferred: [],
    }),
    ...reservation,
  });
