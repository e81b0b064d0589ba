/**
 * k entries to a critical section (K. Raymond, IPL 30, 1989): Ricart–Agrawala that enters with n−k
 * replies. n−1 requests and at most n−1 replies per entry; reliable channels, any order. Rules
 * KE1–KE6, KE7 for `cancel`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { ticked, witnessed } from '../../clocks/clock.js';
import { extend } from '../../composition/extended.js';
import type { CancellableCommand } from '../../mutual-exclusion/cancel.js';
import { isOlder } from '../../mutual-exclusion/permission/building-blocks/permissions.js';
import {
  type Counts,
  countOf,
  noCounts,
} from '../../mutual-exclusion/token/building-blocks/token.js';
import { cancel, type OptionSchemas, whole } from '../../options.js';

export type Options = {
  /** How many nodes may be in the critical section at once. Default 2. */
  readonly entries?: number;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const multipleEntriesOptions: OptionSchemas<Options> = {
  entries: whole(1, 'how many nodes may be in the critical section at once'),
  cancel,
};

/** REQUEST carries its time stamp; REPLY permits this number of requests of its receiver. */
export type Message =
  | { readonly type: 'request'; readonly ts: number }
  | { readonly type: 'reply'; readonly count: number };

export type Event = CancellableCommand | Received<Message>;

export interface Input {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
  /** k: how many nodes may be in the critical section at once. */
  readonly entries: number;
}

export interface Context extends Input {
  readonly clock: number;
  /** The time stamp of the latest own request. */
  readonly requestedAt: number;
  /** For each other node, how many own requests it has not replied to. */
  readonly missing: Counts;
  /** For each other node, how many of its requests get their reply when this node leaves. */
  readonly deferred: Counts;
}

interface Given {
  readonly context: Context;
  readonly event: Event;
}

const plus = (counts: Counts, id: NodeId, more: number): Counts => ({
  ...counts,
  [id]: countOf(counts, id) + more,
});

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

/** Each other node has one more reply to send, whatever it has not replied to yet. */
const stamp = node.assign(({ context: { clock, peers, missing } }) => ({
  clock: ticked(clock),
  requestedAt: ticked(clock),
  missing: peers.reduce((counts, peer) => plus(counts, peer, 1), missing),
}));

const requestAll = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.peers)
    enqueue.emit(send(peer, { type: 'request', ts: context.requestedAt }));
});

const witness = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { clock: witnessed(context.clock, event.ts) };
});

const reply = node.emit(({ event }) => {
  assertEvent(event, 'request');
  return send(event.from, { type: 'reply', count: 1 });
});

const defer = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { deferred: plus(context.deferred, event.from, 1) };
});

const countReply = node.assign(({ context, event }) => {
  assertEvent(event, 'reply');
  return { missing: plus(context.missing, event.from, -event.count) };
});

/** One reply to each node, for all of its deferred requests. */
const replyDeferred = node.enqueueActions(({ context: { peers, deferred }, enqueue }) => {
  for (const peer of peers) {
    const count = countOf(deferred, peer);
    if (count > 0) enqueue.emit(send(peer, { type: 'reply', count }));
  }
  enqueue.assign({ deferred: noCounts(peers) });
});

/** All but k−1 of the others have replied to every request: n−k replies. */
const enoughReplies = ({ context: { peers, missing, entries } }: Given): boolean =>
  peers.filter((peer) => countOf(missing, peer) > 0).length < entries;

const oursIsOlder = ({ context, event }: Given): boolean => {
  assertEvent(event, 'request');
  return isOlder({ ts: context.requestedAt, id: context.self }, { ts: event.ts, id: event.from });
};

const requester = node.extend({
  actions: { stamp, witness, requestAll, reply, defer, countReply, replyDeferred },
  guards: { enoughReplies, oursIsOlder },
});

export const machine = requester.createMachine({
  id: 'multiple-entries',
  context: ({ input }) => ({
    ...input,
    clock: 0,
    requestedAt: 0,
    missing: noCounts(input.peers),
    deferred: noCounts(input.peers),
  }),
  initial: 'released',
  states: {
    released: {
      on: {
        acquire: { target: 'wanted', actions: ['stamp', 'requestAll'], description: 'KE1' },
        request: { actions: ['witness', 'reply'], description: 'KE2' },
        reply: { actions: 'countReply', description: 'KE6' },
      },
    },
    wanted: {
      tags: 'waiting',
      always: { guard: 'enoughReplies', target: 'held', description: 'KE4' },
      on: {
        request: [
          { guard: 'oursIsOlder', actions: ['witness', 'defer'], description: 'KE3' },
          { actions: ['witness', 'reply'], description: 'KE2' },
        ],
        reply: { actions: 'countReply', description: 'KE6' },
      },
    },
    held: {
      tags: 'critical',
      on: {
        request: { actions: ['witness', 'defer'], description: 'KE3' },
        reply: { actions: 'countReply', description: 'KE6' },
        release: { target: 'released', actions: 'replyDeferred', description: 'KE5' },
      },
    },
  },
});

/** The machine with `cancel`: replies to a withdrawn request come late, and are counted as others. */
export const cancellableMachine = extend('cancellable-multiple-entries', machine, {
  wanted: requester.createStateConfig({
    on: { cancel: { target: 'released', actions: 'replyDeferred', description: 'KE7' } },
  }),
});
