/** Ricart–Agrawala (CACM 24:1, 1981) with a conflict relation. 2(n−1) messages per entry; reliable channels, any order. Rules IR1–IR5: README.md */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { ticked, witnessed } from '../building-blocks/lamport-clock.js';
import { isOlder } from '../building-blocks/requests.js';
import { type ConflictRelation, type Interval, overlap } from './interval.js';

export type Command = { readonly type: 'acquire'; readonly interval: Interval } | { readonly type: 'release' };

/** REQUEST carries the requester's clock as it stamped its wish, and what it wishes; REPLY is the permission to have it. */
export type Message = { readonly type: 'request'; readonly ts: number; readonly interval: Interval } | { readonly type: 'reply' };

export interface Input {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
}

interface Context extends Input {
  readonly clock: number;
  readonly requestedAt: number;
  /** What this node wants or holds, or had last. */
  readonly interval: Interval;
  readonly awaiting: readonly NodeId[];
  readonly deferred: readonly NodeId[];
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const stamp = node.assign(({ context, event }) => {
  assertEvent(event, 'acquire');
  const ts = ticked(context.clock);
  return { clock: ts, requestedAt: ts, interval: event.interval, awaiting: context.peers };
});

const witness = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { clock: witnessed(context.clock, event.ts) };
});

const requestAll = node.enqueueActions(({ context, enqueue }) => {
  const { requestedAt: ts, interval } = context;
  for (const peer of context.peers) enqueue.emit(send(peer, { type: 'request', ts, interval }));
});

const reply = node.emit(({ event }) => {
  assertEvent(event, 'request');
  return send(event.from, { type: 'reply' });
});

const defer = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { deferred: [...context.deferred, event.from] };
});

const crossOff = node.assign(({ context, event }) => {
  assertEvent(event, 'reply');
  return { awaiting: context.awaiting.filter((peer) => peer !== event.from) };
});

const replyDeferred = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.deferred) enqueue.emit(send(peer, { type: 'reply' }));
  enqueue.assign({ deferred: [] });
});

/** Whether the claim that is asked for may be held beside the own one. */
export const compatibleUnder =
  (conflicts: ConflictRelation) =>
  ({ context, event }: { readonly context: Context; readonly event: Event }): boolean => {
    assertEvent(event, 'request');
    return !conflicts(context.interval, event.interval);
  };

export const machine = node
  .extend({
    actions: { stamp, witness, requestAll, reply, defer, crossOff, replyDeferred },
    guards: {
      compatible: compatibleUnder(overlap),
      allReplied: ({ context }) => context.awaiting.length === 0,
      oursIsOlder: ({ context, event }) => {
        assertEvent(event, 'request');
        return isOlder({ ts: context.requestedAt, id: context.self }, { ts: event.ts, id: event.from });
      },
    },
  })
  .createMachine({
    id: 'interval-reservation',
    context: ({ input }) => ({ ...input, clock: 0, requestedAt: 0, interval: { from: 0, to: 0 }, awaiting: [], deferred: [] }),
    initial: 'released',
    states: {
      released: {
        on: {
          acquire: { target: 'wanted', actions: ['stamp', 'requestAll'] }, // IR1
          request: { actions: ['witness', 'reply'] }, // IR2
        },
      },
      wanted: {
        tags: 'waiting',
        always: { guard: 'allReplied', target: 'held' }, // IR4
        on: {
          request: [
            { guard: 'compatible', actions: ['witness', 'reply'] }, // IR2
            { guard: 'oursIsOlder', actions: ['witness', 'defer'] }, // IR3
            { actions: ['witness', 'reply'] }, // IR2
          ],
          reply: { actions: 'crossOff' },
        },
      },
      held: {
        tags: 'critical',
        on: {
          request: [
            { guard: 'compatible', actions: ['witness', 'reply'] }, // IR2
            { actions: ['witness', 'defer'] }, // IR3
          ],
          release: { target: 'released', actions: 'replyDeferred' }, // IR5
        },
      },
    },
  });
