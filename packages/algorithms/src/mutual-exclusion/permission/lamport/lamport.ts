/**
 * Lamport's mutual exclusion (CACM 21:7, 1978). 3(n−1) messages per entry; reliable FIFO channels.
 * Rules LA1–LA5, LA6 for `cancel`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { ticked, witnessed } from '../../../clocks/clock.js';
import { extend } from '../../../composition/extended.js';
import type { CancellableCommand } from '../../cancel.js';
import { insert, isOlder, type Request } from '../building-blocks/permissions.js';

/**
 * Each carries its sender's clock. RELEASED is the paper's RELEASE; `release` is the application's
 * command.
 */
export type Message =
  | { readonly type: 'request'; readonly ts: number }
  | { readonly type: 'ack'; readonly ts: number }
  | { readonly type: 'released'; readonly ts: number };

export interface Input {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
}

interface Context extends Input {
  readonly clock: number;
  /** All requests that this node knows, with its own, the oldest first. */
  readonly queue: readonly Request[];
  /** The nodes that have not yet sent a message younger than the own request. */
  readonly awaiting: readonly NodeId[];
}

export type Event = CancellableCommand | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const stamp = node.assign(({ context }) => {
  const ts = ticked(context.clock);
  return {
    clock: ts,
    queue: insert(context.queue, { ts, id: context.self }),
    awaiting: context.peers,
  };
});

const requestAll = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.peers)
    enqueue.emit(send(peer, { type: 'request', ts: context.clock }));
});

const witness = node.assign(({ context, event }) => {
  assertEvent(event, ['request', 'ack', 'released']);
  return { clock: witnessed(context.clock, event.ts) };
});

const crossOff = node.assign(({ context, event }) => {
  assertEvent(event, ['request', 'ack', 'released']);
  const own = context.queue.find(({ id }) => id === context.self);
  const younger = own && isOlder(own, { ts: event.ts, id: event.from });
  return younger ? { awaiting: context.awaiting.filter((id) => id !== event.from) } : {};
});

const enqueue = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { queue: insert(context.queue, { ts: event.ts, id: event.from }) };
});

const acknowledge = node.emit(({ context, event }) => {
  assertEvent(event, 'request');
  return send(event.from, { type: 'ack', ts: context.clock });
});

const dequeue = node.assign(({ context, event }) => {
  assertEvent(event, 'released');
  return { queue: context.queue.filter(({ id }) => id !== event.from) };
});

const dequeueOwn = node.assign(({ context }) => ({
  clock: ticked(context.clock),
  queue: context.queue.filter(({ id }) => id !== context.self),
}));

const releaseAll = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.peers)
    enqueue.emit(send(peer, { type: 'released', ts: context.clock }));
});

const lamport = node.extend({
  actions: {
    stamp,
    requestAll,
    witness,
    crossOff,
    enqueue,
    acknowledge,
    dequeue,
    dequeueOwn,
    releaseAll,
  },
  guards: {
    firstAndAllYounger: ({ context }) =>
      context.queue[0]?.id === context.self && context.awaiting.length === 0,
  },
});

export const machine = lamport.createMachine({
  id: 'lamport',
  context: ({ input }) => ({ ...input, clock: 0, queue: [], awaiting: [] }),
  initial: 'released',
  states: {
    released: {
      on: {
        acquire: { target: 'wanted', actions: ['stamp', 'requestAll'], description: 'LA1' },
        request: { actions: ['witness', 'enqueue', 'acknowledge'], description: 'LA2' },
        ack: { actions: 'witness' },
        released: { actions: ['witness', 'dequeue'], description: 'LA5' },
      },
    },
    wanted: {
      tags: 'waiting',
      always: { guard: 'firstAndAllYounger', target: 'held', description: 'LA3' },
      on: {
        request: {
          actions: ['witness', 'crossOff', 'enqueue', 'acknowledge'],
          description: 'LA3, LA2',
        },
        ack: { actions: ['witness', 'crossOff'], description: 'LA3' },
        released: { actions: ['witness', 'crossOff', 'dequeue'], description: 'LA3, LA5' },
      },
    },
    held: {
      tags: 'critical',
      on: {
        request: { actions: ['witness', 'enqueue', 'acknowledge'], description: 'LA2' },
        ack: { actions: 'witness' },
        release: { target: 'released', actions: ['dequeueOwn', 'releaseAll'], description: 'LA4' },
      },
    },
  },
});

/** The machine with `cancel`. */
export const cancellableMachine = extend('cancellable-lamport', machine, {
  wanted: lamport.createStateConfig({
    on: {
      cancel: { target: 'released', actions: ['dequeueOwn', 'releaseAll'], description: 'LA6' },
    },
  }),
  held: lamport.createStateConfig({
    on: {
      released: {
        actions: ['witness', 'dequeue'],
        description: 'LA5: a younger request is withdrawn',
      },
    },
  }),
});
