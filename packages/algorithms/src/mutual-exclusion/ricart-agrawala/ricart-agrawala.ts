/** Ricart–Agrawala mutual exclusion (CACM 24:1, 1981). 2(n−1) messages per entry; reliable channels, any order. Rules RA1–RA5: README.md */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { ticked, witnessed } from '../building-blocks/lamport-clock.js';
import { isOlder } from '../building-blocks/requests.js';
import type { Command } from '../mutual-exclusion.js';

/** REQUEST carries the requester's clock as it stamped its wish; REPLY is the permission to enter. */
export type Message = { readonly type: 'request'; readonly ts: number } | { readonly type: 'reply' };

export interface Input {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
}

interface Context extends Input {
  readonly clock: number;
  readonly requestedAt: number;
  readonly awaiting: readonly NodeId[];
  readonly deferred: readonly NodeId[];
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const stamp = node.assign(({ context }) => ({
  clock: ticked(context.clock),
  requestedAt: ticked(context.clock),
  awaiting: context.peers,
}));

const witness = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { clock: witnessed(context.clock, event.ts) };
});

const requestAll = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.peers) enqueue.emit(send(peer, { type: 'request', ts: context.requestedAt }));
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

export const machine = node
  .extend({
    actions: { stamp, witness, requestAll, reply, defer, crossOff, replyDeferred },
    guards: {
      allReplied: ({ context }) => context.awaiting.length === 0,
      oursIsOlder: ({ context, event }) => {
        assertEvent(event, 'request');
        return isOlder({ ts: context.requestedAt, id: context.self }, { ts: event.ts, id: event.from });
      },
    },
  })
  .createMachine({
    id: 'ricart-agrawala',
    context: ({ input }) => ({ ...input, clock: 0, requestedAt: 0, awaiting: [], deferred: [] }),
    initial: 'released',
    states: {
      released: {
        on: {
          acquire: { target: 'wanted', actions: ['stamp', 'requestAll'] }, // RA1
          request: { actions: ['witness', 'reply'] }, // RA2
        },
      },
      wanted: {
        tags: 'waiting',
        always: { guard: 'allReplied', target: 'held' }, // RA4
        on: {
          request: [
            { guard: 'oursIsOlder', actions: ['witness', 'defer'] }, // RA3
            { actions: ['witness', 'reply'] }, // RA2
          ],
          reply: { actions: 'crossOff' },
        },
      },
      held: {
        tags: 'critical',
        on: {
          request: { actions: ['witness', 'defer'] }, // RA3
          release: { target: 'released', actions: 'replyDeferred' }, // RA5
        },
      },
    },
  });
