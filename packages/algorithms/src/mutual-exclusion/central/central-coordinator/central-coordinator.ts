/**
 * Mutual exclusion by a central coordinator. 3 messages per entry; reliable channels, any order.
 * Rules CC1–CC5, CC6–CC9 for `acknowledge`, CC10–CC12 for `cancel`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { setup } from 'xstate';
import { extend } from '../../../composition/extended.js';

/**
 * REQUEST, OK (here `grant`) and RELEASE (here `released`; `release` is the application's command).
 */
export type Message =
  | { readonly type: 'request' }
  | { readonly type: 'grant'; readonly entry: number }
  | { readonly type: 'released' };

/**
 * With `acknowledge`: QUEUED tells a client that it is in the queue; INQUIRE asks whether it still
 * is.
 */
export type AcknowledgedMessage =
  | Message
  | { readonly type: 'queued' }
  | { readonly type: 'inquire' };

/**
 * With `cancel`: WITHDRAW takes a client out of the queue, or the grant back; WITHDRAWN tells it
 * that no grant comes.
 */
export type CancellableMessage =
  | Message
  | { readonly type: 'withdraw' }
  | { readonly type: 'withdrawn' };

export type CoordinatorEvent = Received<AcknowledgedMessage | CancellableMessage>;

/** The stable storage of a coordinator that restarts after a crash. */
export interface CoordinatorInput {
  readonly entries?: number;
}

interface CoordinatorContext {
  /** The waiting clients, in the order of their requests' arrival. */
  readonly queue: readonly NodeId[];
  /** The number of entries granted. */
  readonly entries: number;
}

const coordinatorNode = setup({
  types: {} as {
    input: CoordinatorInput;
    context: CoordinatorContext;
    events: CoordinatorEvent;
    emitted: Effect<AcknowledgedMessage | CancellableMessage>;
  },
});

export const grant = coordinatorNode.enqueueActions(({ context, event, enqueue }) => {
  enqueue.assign({ entries: context.entries + 1 });
  enqueue.emit(send(event.from, { type: 'grant', entry: context.entries + 1 }));
});

const grantFirst = coordinatorNode.enqueueActions(({ context, enqueue }) => {
  const [first, ...queue] = context.queue;
  if (first === undefined) return;
  enqueue.assign({ queue, entries: context.entries + 1 });
  enqueue.emit(send(first, { type: 'grant', entry: context.entries + 1 }));
});

export const enqueue = coordinatorNode.assign(({ context, event }) => ({
  queue: [...context.queue, event.from],
}));

const dequeue = coordinatorNode.assign(({ context, event }) => ({
  queue: context.queue.filter((id) => id !== event.from),
}));

const acknowledge = coordinatorNode.emit(({ event }) => send(event.from, { type: 'queued' }));

const confirm = coordinatorNode.emit(({ event }) => send(event.from, { type: 'withdrawn' }));

const keeper = coordinatorNode.extend({
  actions: { grant, grantFirst, enqueue, dequeue, acknowledge, confirm },
  guards: {
    queueIsEmpty: ({ context }) => context.queue.length === 0,
    isQueued: ({ context, event }) => context.queue.includes(event.from),
  },
});

export const coordinator = keeper.createMachine({
  id: 'coordinator',
  context: ({ input }) => ({ queue: [], entries: input.entries ?? 0 }),
  initial: 'free',
  states: {
    free: { on: { request: { target: 'busy', actions: 'grant', description: 'CC2' } } },
    busy: {
      on: {
        request: { actions: 'enqueue', description: 'CC2' },
        released: [
          { guard: 'queueIsEmpty', target: 'free', description: 'CC5' },
          { actions: 'grantFirst', description: 'CC5' },
        ],
      },
    },
  },
});

/** The coordinator with `cancel`. */
export const cancellableCoordinator = extend('cancellable-coordinator', coordinator, {
  busy: keeper.createStateConfig({
    on: {
      withdraw: [
        { guard: 'isQueued', actions: ['dequeue', 'confirm'], description: 'CC11' },
        { guard: 'queueIsEmpty', target: 'free', description: 'CC12' },
        { actions: 'grantFirst', description: 'CC12' },
      ],
    },
  }),
});

/** The coordinator with `acknowledge`. */
export const acknowledgingCoordinator = keeper.createMachine({
  id: 'acknowledging-coordinator',
  context: ({ input }) => ({ queue: [], entries: input.entries ?? 0 }),
  initial: 'free',
  states: {
    free: {
      on: {
        request: { target: 'busy', actions: 'grant', description: 'CC2' },
        inquire: { description: 'CC7: the grant is on its way' },
      },
    },
    busy: {
      on: {
        request: [
          { guard: 'isQueued', actions: 'acknowledge', description: 'CC9' },
          { actions: ['enqueue', 'acknowledge'], description: 'CC2, CC6' },
        ],
        inquire: [
          { guard: 'isQueued', actions: 'acknowledge', description: 'CC7' },
          { description: 'CC7: the grant is on its way' },
        ],
        released: [
          { guard: 'queueIsEmpty', target: 'free', description: 'CC5' },
          { actions: 'grantFirst', description: 'CC5' },
        ],
      },
    },
  },
});
