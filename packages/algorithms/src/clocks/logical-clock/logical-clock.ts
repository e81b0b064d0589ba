/**
 * Nodes with logical clocks: Lamport clocks (CACM 21:7, 1978), or vector clocks (Fidge 1988,
 * Mattern 1989). Any network, any order; no messages of their own, a time stamp in each message.
 * Rules LT1–LT4: README.md
 */
import {
  type Effect,
  type Json,
  type NodeId,
  notify,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { type OptionSchemas, oneOf } from '../../options.js';
import type { LogicalClock } from '../clock.js';

export type Options = {
  /** Which clock the nodes have. Default `lamport`. */
  readonly clock?: 'lamport' | 'vector';
};

export const logicalClockOptions: OptionSchemas<Options> = {
  clock: oneOf(['lamport', 'vector'], 'which clock the nodes have: lamport or vector'),
};

/**
 * `act`: an event that concerns this node only. `send`: an event that sends a message to each
 * neighbour.
 */
export type Command = { readonly type: 'act' } | { readonly type: 'send' };

/** MESSAGE carries the time stamp of the event that sent it. */
export type Message<T extends Json = Json> = { readonly type: 'message'; readonly ts: T };

/** Tells the application the time stamp of the event that just happened. */
type Notification<T extends Json> = { readonly type: 'event'; readonly ts: T };

interface Input {
  readonly self: NodeId;
  readonly neighbours: readonly NodeId[];
}

interface Context<T extends Json> extends Input {
  /** The time stamp of the latest event of this node; on stable storage. */
  readonly clock: T;
}

/** The machine of a node with this kind of clock. */
export function machineWith<T extends Json>({ initial, ticked, witnessed }: LogicalClock<T>) {
  const node = setup({
    types: {} as {
      input: Input & Partial<Pick<Context<T>, 'clock'>>;
      context: Context<T>;
      events: Command | Received<Message<T>>;
      emitted: Effect<Message<T>, Notification<T>>;
    },
  });

  const tick = node.assign(({ context: { clock, self } }) => ({ clock: ticked(clock, self) }));

  const witness = node.assign(({ context: { clock, self }, event }) => {
    assertEvent(event, 'message');
    return { clock: witnessed(clock, event.ts, self) };
  });

  const sendAll = node.enqueueActions(({ context: { clock, neighbours }, enqueue }) => {
    for (const id of neighbours) enqueue.emit(send(id, { type: 'message', ts: clock }));
  });

  const tell = node.emit(({ context }) => notify({ type: 'event', ts: context.clock }));

  return node.extend({ actions: { tick, witness, sendAll, tell } }).createMachine({
    id: 'logical-clock',
    context: ({ input }) => ({ clock: initial, ...input }),
    initial: 'running',
    states: {
      running: {
        on: {
          act: { actions: ['tick', 'tell'], description: 'LT1, LT4' },
          send: { actions: ['tick', 'sendAll', 'tell'], description: 'LT1, LT2, LT4' },
          message: { actions: ['witness', 'tell'], description: 'LT3, LT4' },
        },
      },
    },
  });
}
