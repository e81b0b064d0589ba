/**
 * Causally ordered multicast by vector clocks: the VT protocol of K. Birman, A. Schiper, P.
 * Stephenson (ACM TOCS 9:3, 1991, section 5.1). Known group, reliable channels, any order; n−1
 * messages of n numbers each. Rules CB1–CB4: README.md
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
import { ofNode } from '../../by-node.js';
import { advanced, type VectorClock } from '../../clocks/clock.js';
import { type OptionSchemas, oneOf } from '../../options.js';
import type { Command, Deliver } from '../multicast.js';

export type Options = {
  /**
   * The order of deliveries: `causal`; or `fifo`, the order of each sender only, for comparison.
   * Default `causal`.
   */
  readonly order?: 'fifo' | 'causal';
};

export const causalMulticastOptions: OptionSchemas<Options> = {
  order: oneOf(
    ['fifo', 'causal'],
    'the order of deliveries: causal, or fifo, that of each sender only',
  ),
};

/**
 * MESSAGE carries a multicast and its vector time stamp, which counts the multicasts of each member
 * in its past, itself included.
 */
export type Message = {
  readonly type: 'message';
  readonly vector: VectorClock;
  readonly data: Json;
};

interface Input {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
}

type Delayed = Pick<Received<Message>, 'from' | 'vector' | 'data'>;

interface Context extends Input {
  /** VT: how many multicasts of each member have been delivered here. */
  readonly vector: VectorClock;
  /** The messages that have not been delivered here, in the order of their arrival. */
  readonly delayed: readonly Delayed[];
}

export type Event = Command | Received<Message>;

const member = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message, Deliver> },
});

const at = (vector: VectorClock, id: NodeId): number => ofNode(vector, id) ?? 0;

/** Whether a message that has come may be delivered, given the vector of its receiver. */
type Condition = (delivered: VectorClock, message: Delayed) => boolean;

/** CB3, first part: the message is the sender's next one. Alone it gives FIFO order. */
export const isNextOfSender: Condition = (delivered, { from, vector }) =>
  at(vector, from) === at(delivered, from) + 1;

/** CB3, second part: all else in the past of the message has been delivered. */
export const hasPast: Condition = (delivered, { from, vector }) =>
  Object.entries(vector).every(([id, count]) => id === from || count <= at(delivered, id));

const isNextInCausalOrder: Condition = (...given) => isNextOfSender(...given) && hasPast(...given);

const delivery = ({ from, vector, data }: Delayed) =>
  notify<Deliver>({ type: 'deliver', from, sequence: at(vector, from), data });

const stamp = member.assign(({ context: { self, vector } }) => ({
  vector: advanced(vector, self),
}));

const sendToAll = member.enqueueActions(({ context: { peers, vector }, event, enqueue }) => {
  assertEvent(event, 'multicast');
  for (const peer of peers) enqueue.emit(send(peer, { type: 'message', vector, data: event.data }));
});

const deliverOwn = member.emit(({ context: { self, vector }, event }) => {
  assertEvent(event, 'multicast');
  return delivery({ from: self, vector, data: event.data });
});

const delay = member.assign(({ context, event }) => {
  assertEvent(event, 'message');
  const { from, vector, data } = event;
  return { delayed: [...context.delayed, { from, vector, data }] };
});

/** A member that delivers a message as soon as `mayDeliver` holds for it. */
export function machineBy(mayDeliver: Condition) {
  const nextOf = ({ vector, delayed }: Context) =>
    delayed.find((message) => mayDeliver(vector, message));
  return member
    .extend({
      actions: {
        stamp,
        sendToAll,
        deliverOwn,
        delay,
        deliver: member.enqueueActions(({ context, enqueue }) => {
          const next = nextOf(context);
          if (!next) return;
          enqueue.emit(delivery(next));
          enqueue.assign({
            vector: advanced(context.vector, next.from),
            delayed: context.delayed.filter((message) => message !== next),
          });
        }),
      },
      guards: {
        isDuplicate: ({ context: { vector, delayed }, event }) => {
          assertEvent(event, 'message');
          const { from } = event;
          const sequence = at(event.vector, from);
          return (
            sequence <= at(vector, from) ||
            delayed.some((other) => other.from === from && at(other.vector, from) === sequence)
          );
        },
        someIsNext: ({ context }) => nextOf(context) !== undefined,
        noneIsDelayed: ({ context }) => context.delayed.length === 0,
      },
    })
    .createMachine({
      id: 'causal-multicast',
      context: ({ input }) => ({
        ...input,
        vector: Object.fromEntries([input.self, ...input.peers].sort().map((id) => [id, 0])),
        delayed: [],
      }),
      initial: 'current',
      on: { multicast: { actions: ['stamp', 'sendToAll', 'deliverOwn'], description: 'CB1' } },
      states: {
        current: {
          on: {
            message: [
              { guard: 'isDuplicate', description: 'CB4: delivered before' },
              { target: 'delaying', actions: 'delay', description: 'CB2' },
            ],
          },
        },
        delaying: {
          tags: 'waiting',
          always: [
            { guard: 'someIsNext', actions: 'deliver', description: 'CB3' },
            { guard: 'noneIsDelayed', target: 'current', description: 'CB3' },
          ],
          on: {
            message: [
              { guard: 'isDuplicate', description: 'CB4: delivered before, or delayed' },
              { actions: 'delay', description: 'CB2' },
            ],
          },
        },
      },
    });
}

/** A member that delivers in causal order. */
export const machine = machineBy(isNextInCausalOrder);

/** A member that delivers in the order of each sender only. */
export const fifoMachine = machineBy(isNextOfSender);
