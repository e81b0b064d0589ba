/**
 * Mutual exclusion by a central coordinator. 3 messages per entry; reliable channels, any order.
 * Rules CC1–CC5, CC6–CC9 for `acknowledge`, CC10–CC12 for `cancel`: README.md
 */
import { type Effect, type NodeId, notify, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { cancel, flag, type OptionSchemas, time } from '../../../options.js';
import type { CancellableCommand } from '../../cancel.js';
import type { Command } from '../../mutual-exclusion.js';

export type Options = {
  /**
   * The coordinator tells a queued client so at once, and a client reports a coordinator that does
   * not answer. Default false.
   */
  readonly acknowledge?: boolean;
  /**
   * With `acknowledge`: how long a client waits for an answer, in milliseconds; more than the
   * longest round trip; in real time at least 10. Default 1000.
   */
  readonly timeout?: number;
  /**
   * The application may withdraw a request; not with `acknowledge`. Channels are FIFO. Default
   * false.
   */
  readonly cancel?: boolean;
};

export const centralCoordinatorOptions: OptionSchemas<Options> = {
  acknowledge: flag(
    'the coordinator confirms a queued request, and a client reports a silent coordinator',
  ),
  timeout: time('with acknowledge: how long an answer may take'),
  cancel,
};

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

// The clients: rules CC1, CC3, CC4, CC6–CC12.

interface Input {
  readonly coordinator: NodeId;
}

/**
 * With `acknowledge`: the milliseconds that a client waits for an answer, and in the queue before
 * it inquires.
 */
interface AcknowledgedInput extends Input {
  readonly timeout: number;
}

interface ClientContext extends Input {
  /** The number of the current entry; 0 outside the critical section. */
  readonly entry: number;
}

type ClientEvent = CancellableCommand | Received<CancellableMessage>;

type AcknowledgedClientEvent = Command | Received<AcknowledgedMessage>;

/** A grant gives the entry its number. */
const entryGranted = ({ event }: { readonly event: AcknowledgedClientEvent | ClientEvent }) => {
  assertEvent(event, 'grant');
  return { entry: event.entry };
};

interface Enqueue {
  readonly emit: (released: ReturnType<typeof send<{ readonly type: 'released' }>>) => void;
  readonly assign: (changed: Pick<ClientContext, 'entry'>) => void;
}

const giveBack = ({
  context,
  enqueue,
}: {
  readonly context: ClientContext;
  readonly enqueue: Enqueue;
}) => {
  enqueue.emit(send(context.coordinator, { type: 'released' }));
  enqueue.assign({ entry: 0 });
};

const clientNode = setup({
  types: {} as {
    input: Input;
    context: ClientContext;
    events: ClientEvent;
    emitted: Effect<CancellableMessage>;
  },
});

const clientSetup = clientNode.extend({
  actions: {
    request: clientNode.emit(({ context }) => send(context.coordinator, { type: 'request' })),
    number: clientNode.assign(entryGranted),
    giveBack: clientNode.enqueueActions(giveBack),
    withdraw: clientNode.emit(({ context }) => send(context.coordinator, { type: 'withdraw' })),
  },
});

export const client = clientSetup.createMachine({
  id: 'client',
  context: ({ input }) => ({ ...input, entry: 0 }),
  initial: 'released',
  states: {
    released: { on: { acquire: { target: 'wanted', actions: 'request', description: 'CC1' } } },
    wanted: {
      tags: 'waiting',
      on: { grant: { target: 'held', actions: 'number', description: 'CC3' } },
    },
    held: {
      tags: 'critical',
      on: { release: { target: 'released', actions: 'giveBack', description: 'CC4' } },
    },
  },
});

/** A client with `cancel`. */
export const cancellableClient = extend('cancellable-client', client, {
  wanted: clientSetup.createStateConfig({
    on: { cancel: { target: 'withdrawing', actions: 'withdraw', description: 'CC10' } },
  }),
  withdrawing: clientSetup.createStateConfig({
    tags: 'withdrawing',
    on: {
      withdrawn: { target: 'released', description: 'CC11' },
      grant: { target: 'released', description: 'CC12: withdraw gives it back' },
    },
  }),
});

/**
 * From a client to its application: the coordinator did not answer within `timeout`, and the client
 * has given up.
 */
type Notification = { readonly type: 'coordinator-silent' };

const acknowledgedNode = setup({
  types: {} as {
    input: AcknowledgedInput;
    context: AcknowledgedInput & ClientContext;
    events: AcknowledgedClientEvent;
    emitted: Effect<AcknowledgedMessage, Notification>;
  },
});

/** A client with `acknowledge`. */
export const acknowledgedClient = acknowledgedNode
  .extend({
    actions: {
      request: acknowledgedNode.emit(({ context }) =>
        send(context.coordinator, { type: 'request' }),
      ),
      inquire: acknowledgedNode.emit(({ context }) =>
        send(context.coordinator, { type: 'inquire' }),
      ),
      number: acknowledgedNode.assign(entryGranted),
      giveBack: acknowledgedNode.enqueueActions(giveBack),
      report: acknowledgedNode.emit(notify({ type: 'coordinator-silent' })),
    },
    delays: { timeout: ({ context }) => context.timeout },
  })
  .createMachine({
    id: 'acknowledged-client',
    context: ({ input }) => ({ ...input, entry: 0 }),
    initial: 'released',
    states: {
      released: {
        initial: 'idle',
        states: {
          idle: {},
          unserved: { id: 'unserved', tags: 'unserved' },
        },
        on: {
          acquire: { target: 'wanted', actions: 'request', description: 'CC1' },
          grant: { actions: 'giveBack', description: 'CC9' },
          queued: { description: 'CC9: answer to an earlier request' },
        },
      },
      wanted: {
        tags: 'waiting',
        initial: 'asking',
        states: {
          asking: {
            on: { queued: { target: 'queued', description: 'CC6' } },
            after: { timeout: { target: '#unserved', actions: 'report', description: 'CC8' } },
          },
          queued: {
            on: { queued: { description: 'CC9: answer to an earlier request' } },
            after: { timeout: { target: 'asking', actions: 'inquire', description: 'CC7' } },
          },
        },
        on: { grant: { target: 'held', actions: 'number', description: 'CC3' } },
      },
      held: {
        tags: 'critical',
        on: {
          release: { target: 'released', actions: 'giveBack', description: 'CC4' },
          queued: { description: 'CC6: the grant has overtaken it' },
        },
      },
    },
  });

// The coordinator: rules CC2, CC5–CC7, CC9, CC11, CC12.

type CoordinatorEvent = Received<AcknowledgedMessage | CancellableMessage>;

/** The stable storage of a coordinator that restarts after a crash. */
interface CoordinatorInput {
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

const grant = coordinatorNode.enqueueActions(({ context, event, enqueue }) => {
  enqueue.assign({ entries: context.entries + 1 });
  enqueue.emit(send(event.from, { type: 'grant', entry: context.entries + 1 }));
});

const grantFirst = coordinatorNode.enqueueActions(({ context, enqueue }) => {
  const [first, ...queue] = context.queue;
  if (first === undefined) return;
  enqueue.assign({ queue, entries: context.entries + 1 });
  enqueue.emit(send(first, { type: 'grant', entry: context.entries + 1 }));
});

const enqueue = coordinatorNode.assign(({ context, event }) => ({
  queue: [...context.queue, event.from],
}));

const dequeue = coordinatorNode.assign(({ context, event }) => ({
  queue: context.queue.filter((id) => id !== event.from),
}));

const acknowledge = coordinatorNode.emit(({ event }) => send(event.from, { type: 'queued' }));

const confirm = coordinatorNode.emit(({ event }) => send(event.from, { type: 'withdrawn' }));

const coordinatorSetup = coordinatorNode.extend({
  actions: { grant, grantFirst, enqueue, dequeue, acknowledge, confirm },
  guards: {
    queueIsEmpty: ({ context }) => context.queue.length === 0,
    isQueued: ({ context, event }) => context.queue.includes(event.from),
  },
});

export const coordinator = coordinatorSetup.createMachine({
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
  busy: coordinatorSetup.createStateConfig({
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
export const acknowledgingCoordinator = coordinatorSetup.createMachine({
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
