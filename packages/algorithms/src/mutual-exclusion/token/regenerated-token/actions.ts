/** Messages, context, actions and guards of the nodes of the ring: rules RT1–RT12. */
import { type Effect, type NodeId, notify, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup, stateIn } from 'xstate';
import type { CancellableCommand } from '../../cancel.js';

/** TOKEN: the receiver may enter. It carries its epoch and the number of entries in this epoch. */
export type Token = { readonly type: 'token'; readonly epoch: number; readonly entries: number };

/** ELECTION and ELECTED of the election, under the names that they have here. */
export type ElectionMessage =
  | { readonly type: 'election-election'; readonly id: NodeId }
  | { readonly type: 'election-elected'; readonly id: NodeId };

/** INQUIRY returns to the coordinator unless a node is in its critical section. */
export type RingMessage = Token | { readonly type: 'inquiry' };

export type Message = RingMessage | ElectionMessage;

/**
 * Tells the coordinator's application that neither the token nor the inquiry has come: a node stays
 * in its critical section, or the ring is broken.
 */
export type Notification = { readonly type: 'token-missing' };

export interface Input {
  readonly self: NodeId;
  /** The next node on the ring. */
  readonly next: NodeId;
  /** Whether this node makes tokens: it was appointed, or elected. */
  readonly coordinator: boolean;
  /** The latest epoch of which this node has seen a token; 0 before the first. */
  readonly seen: number;
  /** How long, in milliseconds, a node waits for a token or for news of the election. */
  readonly timeout: number;
  /** The number of tokens in a row that the coordinator makes without an inquiry. */
  readonly blindRegenerations: number;
}

export interface Context extends Input {
  /** The number of entries on the token that is here, of the epoch `seen`; 0 without a token. */
  readonly entries: number;
  /** The fencing token of this node's entry; 0 outside the critical section. */
  readonly fence: number;
  /** The number of tokens that this node has made without an inquiry since it last saw one. */
  readonly madeBlindly: number;
}

export type Event = CancellableCommand | Received<Message> | { readonly type: 'election-elect' };

/** More than the number of entries in any epoch. */
const epochFence = 2 ** 32;

/**
 * The number of an entry: larger than those before it in this epoch, and than all in earlier
 * epochs.
 */
export const fenceOf = (epoch: number, entries: number): number => epoch * epochFence + entries;

/** The epoch in which the entry with this number was made. */
export const epochOf = (fence: number): number => Math.floor(fence / epochFence);

export const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<Message, Notification>;
  },
});

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { seen: event.epoch, entries: event.entries };
});

const enter = node.assign(({ context: { seen, entries } }) => ({
  entries: entries + 1,
  fence: fenceOf(seen, entries + 1),
}));

const passToken = node.enqueueActions(({ context: { next, seen, entries }, enqueue }) => {
  enqueue.emit(send(next, { type: 'token', epoch: seen, entries }));
  enqueue.assign({ entries: 0, fence: 0 });
});

const relayToken = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'token');
  enqueue.assign({ seen: event.epoch });
  enqueue.emit(send(context.next, { type: 'token', epoch: event.epoch, entries: event.entries }));
});

const makeToken = node.enqueueActions(({ context: { next, seen }, enqueue }) => {
  enqueue.assign({ seen: seen + 1 });
  enqueue.emit(send(next, { type: 'token', epoch: seen + 1, entries: 0 }));
});

export const member = node.extend({
  actions: {
    takeToken,
    enter,
    passToken,
    relayToken,
    makeToken,
    assume: node.assign({ coordinator: true }),
    countBlind: node.assign(({ context }) => ({ madeBlindly: context.madeBlindly + 1 })),
    resetBlind: node.assign({ madeBlindly: 0 }),
    inquire: node.emit(({ context }) => send(context.next, { type: 'inquiry' })),
    report: node.emit(notify({ type: 'token-missing' })),
    elect: node.raise({ type: 'election-elect' }),
    candidateAgain: node.emit(({ context }) =>
      send(context.next, { type: 'election-election', id: context.self }),
    ),
  },
  guards: {
    isStale: ({ context, event }) => {
      assertEvent(event, 'token');
      return event.epoch < context.seen;
    },
    isNewer: ({ context, event }) => {
      assertEvent(event, 'token');
      return event.epoch > context.seen;
    },
    isWanted: stateIn({ client: 'wanted' }),
    isHeld: stateIn({ client: 'held' }),
    isCoordinator: ({ context }) => context.coordinator,
    isElected: () => false,
    isCandidate: () => false,
    noTokenYet: ({ context }) => context.seen === 0,
    mayRegenerate: ({ context }) => context.madeBlindly < context.blindRegenerations,
  },
  delays: { timeout: ({ context }) => context.timeout },
});
