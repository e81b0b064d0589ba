/** The clients of a central coordinator: rules CC1, CC3, CC4, CC6–CC12. */
import { type Effect, type NodeId, notify, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { extend } from '../../../composition/extended.js';
import type { CancellableCommand } from '../../cancel.js';
import type { Command } from '../../mutual-exclusion.js';
import type { AcknowledgedMessage, CancellableMessage } from './central-coordinator.js';

export interface Input {
  readonly coordinator: NodeId;
}

/**
 * With `acknowledge`: the milliseconds that a client waits for an answer, and in the queue before
 * it inquires.
 */
export interface AcknowledgedInput extends Input {
  readonly timeout: number;
}

interface ClientContext extends Input {
  /** The number of the current entry; 0 outside the critical section. */
  readonly entry: number;
}

export type ClientEvent = CancellableCommand | Received<CancellableMessage>;

export type AcknowledgedClientEvent = Command | Received<AcknowledgedMessage>;

export const number = ({ event }: { readonly event: AcknowledgedClientEvent | ClientEvent }) => {
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

const requester = clientNode.extend({
  actions: {
    request: clientNode.emit(({ context }) => send(context.coordinator, { type: 'request' })),
    number: clientNode.assign(number),
    giveBack: clientNode.enqueueActions(giveBack),
    withdraw: clientNode.emit(({ context }) => send(context.coordinator, { type: 'withdraw' })),
  },
});

export const client = requester.createMachine({
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
  wanted: requester.createStateConfig({
    on: { cancel: { target: 'withdrawing', actions: 'withdraw', description: 'CC10' } },
  }),
  withdrawing: requester.createStateConfig({
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
export type Notification = { readonly type: 'coordinator-silent' };

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
      number: acknowledgedNode.assign(number),
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
