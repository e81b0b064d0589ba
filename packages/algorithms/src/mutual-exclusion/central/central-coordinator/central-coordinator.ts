/**
 * Mutual exclusion by a central coordinator: a lock that one node keeps for the others.
 * 3 messages per entry; reliable channels, any order. Rules C1–C5, and C6–C9 for `acknowledge`: README.md
 */
import { type Effect, type NodeId, notify, type Received, type Send, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';

/** REQUEST, the coordinator's OK, and RELEASE: here `released`, since `release` is what the application tells its node. */
export type Message = { readonly type: 'request' } | { readonly type: 'grant'; readonly entry: number } | { readonly type: 'released' };

/** With `acknowledge`: QUEUED tells a client that it stands in the queue; INQUIRE asks whether it still does. */
export type AcknowledgedMessage = Message | { readonly type: 'queued' } | { readonly type: 'inquire' };

export interface Input {
  readonly coordinator: NodeId;
}

/** With `acknowledge`: how long, in milliseconds, a client waits for an answer, and in the queue until it asks again. */
export interface AcknowledgedInput extends Input {
  readonly patience: number;
}

interface ClientContext extends Input {
  /** The number of the present entry; 0 outside. */
  readonly entry: number;
}

export type ClientEvent = Command | Received<Message>;

export type AcknowledgedClientEvent = Command | Received<AcknowledgedMessage>;

const number = ({ event }: { readonly event: AcknowledgedClientEvent }) => {
  assertEvent(event, 'grant');
  return { entry: event.entry };
};

interface Enqueue {
  readonly emit: (released: Send<{ readonly type: 'released' }>) => void;
  readonly assign: (changed: Pick<ClientContext, 'entry'>) => void;
}

const giveBack = ({ context, enqueue }: { readonly context: ClientContext; readonly enqueue: Enqueue }) => {
  enqueue.emit(send(context.coordinator, { type: 'released' }));
  enqueue.assign({ entry: 0 });
};

const clientNode = setup({
  types: {} as { input: Input; context: ClientContext; events: ClientEvent; emitted: Effect<Message> },
});

export const client = clientNode
  .extend({
    actions: {
      request: clientNode.emit(({ context }) => send(context.coordinator, { type: 'request' })),
      number: clientNode.assign(number),
      giveBack: clientNode.enqueueActions(giveBack),
    },
  })
  .createMachine({
    id: 'client',
    context: ({ input }) => ({ ...input, entry: 0 }),
    initial: 'released',
    states: {
      released: {
        on: {
          acquire: { target: 'wanted', actions: 'request' }, // C1
        },
      },
      wanted: {
        tags: 'waiting',
        on: {
          grant: { target: 'held', actions: 'number' }, // C3
        },
      },
      held: {
        tags: 'critical',
        on: {
          release: { target: 'released', actions: 'giveBack' }, // C4
        },
      },
    },
  });

export type CoordinatorEvent = Received<AcknowledgedMessage>;

/** What a coordinator that comes back after a crash remembers. */
export interface CoordinatorInput {
  readonly entries?: number;
}

interface CoordinatorContext {
  /** The clients that wait, in the order in which their requests came. */
  readonly queue: readonly NodeId[];
  /** How many entries have been granted. */
  readonly entries: number;
}

const coordinatorNode = setup({
  types: {} as { input: CoordinatorInput; context: CoordinatorContext; events: CoordinatorEvent; emitted: Effect<AcknowledgedMessage> },
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

const enqueue = coordinatorNode.assign(({ context, event }) => ({ queue: [...context.queue, event.from] }));

const acknowledge = coordinatorNode.emit(({ event }) => send(event.from, { type: 'queued' }));

const keeper = coordinatorNode.extend({
  actions: { grant, grantFirst, enqueue, acknowledge },
  guards: {
    nobodyWaits: ({ context }) => context.queue.length === 0,
    isQueued: ({ context, event }) => context.queue.includes(event.from),
  },
});

export const coordinator = keeper.createMachine({
  id: 'coordinator',
  context: ({ input }) => ({ queue: [], entries: input.entries ?? 0 }),
  initial: 'free',
  states: {
    free: {
      on: {
        request: { target: 'busy', actions: 'grant' }, // C2
      },
    },
    busy: {
      on: {
        request: { actions: 'enqueue' }, // C2
        released: [
          { guard: 'nobodyWaits', target: 'free' }, // C5
          { actions: 'grantFirst' }, // C5
        ],
      },
    },
  },
});

/** The coordinator with `acknowledge`. */
export const acknowledgingCoordinator = keeper.createMachine({
  id: 'acknowledging-coordinator',
  context: ({ input }) => ({ queue: [], entries: input.entries ?? 0 }),
  initial: 'free',
  states: {
    free: {
      on: {
        request: { target: 'busy', actions: 'grant' }, // C2
        inquire: {}, // C7: it has been granted since
      },
    },
    busy: {
      on: {
        request: [
          { guard: 'isQueued', actions: 'acknowledge' }, // C9: it gave up, and has come again
          { actions: ['enqueue', 'acknowledge'] }, // C6
        ],
        inquire: [
          { guard: 'isQueued', actions: 'acknowledge' }, // C7
          {}, // C7: it has been granted since
        ],
        released: [
          { guard: 'nobodyWaits', target: 'free' }, // C5
          { actions: 'grantFirst' }, // C5
        ],
      },
    },
  },
});

/** What a client tells its application: the coordinator did not answer within `patience`, and is waited for no longer. */
export type Notification = { readonly type: 'coordinator-silent' };

const patientNode = setup({
  types: {} as {
    input: AcknowledgedInput;
    context: AcknowledgedInput & ClientContext;
    events: AcknowledgedClientEvent;
    emitted: Effect<AcknowledgedMessage, Notification>;
  },
});

/** A client with `acknowledge`. */
export const acknowledgedClient = patientNode
  .extend({
    actions: {
      request: patientNode.emit(({ context }) => send(context.coordinator, { type: 'request' })),
      inquire: patientNode.emit(({ context }) => send(context.coordinator, { type: 'inquire' })),
      number: patientNode.assign(number),
      giveBack: patientNode.enqueueActions(giveBack),
      report: patientNode.emit(notify({ type: 'coordinator-silent' })),
    },
    delays: { patience: ({ context }) => context.patience },
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
          acquire: { target: 'wanted', actions: 'request' }, // C1
          grant: { actions: 'giveBack' }, // C9
          queued: {}, // C9
        },
      },
      wanted: {
        tags: 'waiting',
        initial: 'asking',
        states: {
          asking: {
            on: { queued: 'queued' }, // C6
            after: { patience: { target: '#unserved', actions: 'report' } }, // C8
          },
          queued: {
            on: { queued: {} }, // C9: the answer to an earlier request
            after: { patience: { target: 'asking', actions: 'inquire' } }, // C7
          },
        },
        on: {
          grant: { target: 'held', actions: 'number' }, // C3
        },
      },
      held: {
        tags: 'critical',
        on: {
          release: { target: 'released', actions: 'giveBack' }, // C4
          queued: {}, // C6: the grant has overtaken it
        },
      },
    },
  });
