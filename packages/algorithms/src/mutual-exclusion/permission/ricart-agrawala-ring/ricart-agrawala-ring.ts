/**
 * Ricart–Agrawala mutual exclusion on a one-way ring: their "sequential node-by-node processing"
 * (CACM 24:1, 1981). A request goes from node to node, and its return is the permission of all. n
 * messages per entry; reliable channels, any order. Rules RR1–RR5: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { ticked, witnessed } from '../../../clocks/clock.js';
import type { Command } from '../../mutual-exclusion.js';
import { isOlder, type Request } from '../building-blocks/permissions.js';

/** REQUEST of node `id`: all nodes from `id` to the receiver permit its entry. */
export type Message = { readonly type: 'request' } & Request;

export interface Input {
  readonly self: NodeId;
  /** The next node on the ring. */
  readonly next: NodeId;
  /** All nodes of the ring, for the fencing token. */
  readonly nodes: readonly NodeId[];
}

interface Context extends Input {
  readonly clock: number;
  /** The time stamp of the latest own request. */
  readonly requestedAt: number;
  /** The requests that go on when this node leaves. */
  readonly deferred: readonly Request[];
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const stamp = node.assign(({ context: { clock } }) => ({
  clock: ticked(clock),
  requestedAt: ticked(clock),
}));

const request = node.emit(({ context: { self, next, requestedAt } }) =>
  send(next, { type: 'request', ts: requestedAt, id: self }),
);

const witness = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { clock: witnessed(context.clock, event.ts) };
});

const forward = node.emit(({ context, event }) => {
  assertEvent(event, 'request');
  return send(context.next, { type: 'request', ts: event.ts, id: event.id });
});

const defer = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { deferred: [...context.deferred, { ts: event.ts, id: event.id }] };
});

const forwardDeferred = node.enqueueActions(({ context: { next, deferred }, enqueue }) => {
  for (const { ts, id } of deferred) enqueue.emit(send(next, { type: 'request', ts, id }));
  enqueue.assign({ deferred: [] });
});

export const machine = node
  .extend({
    actions: { stamp, request, witness, forward, defer, forwardDeferred },
    guards: {
      isOurs: ({ context, event }) => {
        assertEvent(event, 'request');
        return event.id === context.self;
      },
      oursIsOlder: ({ context, event }) => {
        assertEvent(event, 'request');
        return isOlder({ ts: context.requestedAt, id: context.self }, event);
      },
    },
  })
  .createMachine({
    id: 'ricart-agrawala-ring',
    context: ({ input }) => ({ ...input, clock: 0, requestedAt: 0, deferred: [] }),
    initial: 'released',
    states: {
      released: {
        on: {
          acquire: { target: 'wanted', actions: ['stamp', 'request'], description: 'RR1' },
          request: { actions: ['witness', 'forward'], description: 'RR2' },
        },
      },
      wanted: {
        tags: 'waiting',
        on: {
          request: [
            { guard: 'isOurs', target: 'held', description: 'RR4' },
            { guard: 'oursIsOlder', actions: ['witness', 'defer'], description: 'RR3' },
            { actions: ['witness', 'forward'], description: 'RR2' },
          ],
        },
      },
      held: {
        tags: 'critical',
        on: {
          request: { actions: ['witness', 'defer'], description: 'RR3' },
          release: { target: 'released', actions: 'forwardDeferred', description: 'RR5' },
        },
      },
    },
  });
