/**
 * Failure detection by heartbeat and time-out (T. D. Chandra, S. Toueg, JACM 43:2, 1996, in partial
 * synchrony). Any network in which nodes watch neighbours, any order, messages of bounded delay;
 * one message per period and watching node. Rules HB1–HB5: README.md
 */

import { schemas } from '@conclave/core/internal';
import {
  type Effect,
  type NodeId,
  notify,
  type Protocol,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { ofNode } from '../../by-node.js';
import { type OptionSchemas, shortestTimer, time, timers } from '../../options.js';

export type Options = {
  /**
   * The time between two heartbeats of a node, in milliseconds; in real time at least 10. Default
   * 100.
   */
  readonly period?: number;
  /**
   * After how many milliseconds without a heartbeat a node is suspected; in real time at least 10
   * more than `period`, unless it grows. Default 200.
   */
  readonly timeout?: number;
  /**
   * By how many milliseconds the time-out for a node grows after each false suspicion. Default 0:
   * not at all.
   */
  readonly growth?: number;
  /** The time-out grows up to this many milliseconds. Default ten times `timeout`. */
  readonly longest?: number;
};

export const heartbeatOptions: OptionSchemas<Options> = {
  period: time('the time between two heartbeats'),
  timeout: time('after how long without a heartbeat a node is suspected'),
  growth: time(
    'by how much the time-out grows after a false suspicion',
    schemas.measure('milliseconds'),
  ),
  longest: time('up to what the time-out grows'),
};

/**
 * In real time, a time-out that does not grow is longer than the period: heartbeats come no sooner.
 * `silence` is the name of the time-out.
 */
export const watchTimes = (
  silence: string,
  { period, timeout, growth }: Readonly<Record<'period' | 'timeout' | 'growth', number>>,
): NonNullable<Protocol['times']> => ({
  ...timers({ period }),
  ...timers({ [silence]: timeout }, growth > 0 ? shortestTimer : period + shortestTimer),
});

/** HEARTBEAT: the sender lives. */
export type Message = { readonly type: 'heartbeat' };

/** Tells the application whom this node begins, or ceases, to suspect. */
type Notification = { readonly type: 'suspect' | 'trust'; readonly node: NodeId };

interface Input {
  /** The nodes that get heartbeats of this one. */
  readonly watchers: readonly NodeId[];
  /** The nodes whose heartbeats this one expects. */
  readonly watched: readonly NodeId[];
  /** The time between two heartbeats, in milliseconds, as all times here. */
  readonly period: number;
  /** How long a node may be silent before it is suspected. */
  readonly timeout: number;
  /** By how much the time-out for a node grows after each false suspicion. */
  readonly growth: number;
  /** The time-out grows up to this. */
  readonly longest: number;
}

interface Context extends Omit<Input, 'timeout'> {
  /** By node that this one watches: the time-out for it. */
  readonly timeouts: Readonly<Record<NodeId, number>>;
  readonly suspected: readonly NodeId[];
}

/** OVERDUE: a time-out has ended; the machine raises it itself. */
type Event = Received<Message> | { readonly type: 'overdue'; readonly node: NodeId };

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<Message, Notification>;
  },
});

const beat = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.watchers) enqueue.emit(send(peer, { type: 'heartbeat' }));
});

const timerOf = (peer: NodeId): string => `silence of ${peer}`;

const watchAll = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.watched)
    enqueue.raise(
      { type: 'overdue', node: peer },
      { id: timerOf(peer), delay: ofNode(context.timeouts, peer) ?? 0 },
    );
});

const watchAgain = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'heartbeat');
  const { from } = event;
  enqueue.cancel(timerOf(from));
  enqueue.raise(
    { type: 'overdue', node: from },
    { id: timerOf(from), delay: ofNode(context.timeouts, from) ?? 0 },
  );
});

const suspect = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'overdue');
  enqueue.assign({ suspected: [...context.suspected, event.node].sort() });
  enqueue.emit(notify({ type: 'suspect', node: event.node }));
});

const trust = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'heartbeat');
  enqueue.assign({ suspected: context.suspected.filter((peer) => peer !== event.from) });
  enqueue.emit(notify({ type: 'trust', node: event.from }));
});

const prolong = node.assign(({ context, event }) => {
  assertEvent(event, 'heartbeat');
  const { growth, longest, timeouts } = context;
  return {
    timeouts: {
      ...timeouts,
      [event.from]: Math.min((ofNode(timeouts, event.from) ?? 0) + growth, longest),
    },
  };
});

export const machine = node
  .extend({
    actions: { beat, watchAll, watchAgain, suspect, trust, prolong },
    guards: {
      isSuspected: ({ context, event }) => {
        assertEvent(event, 'heartbeat');
        return context.suspected.includes(event.from);
      },
    },
    delays: { period: ({ context }) => context.period },
  })
  .createMachine({
    id: 'heartbeat',
    type: 'parallel',
    context: ({ input: { timeout, ...input } }) => ({
      ...input,
      timeouts: Object.fromEntries(input.watched.map((peer) => [peer, timeout])),
      suspected: [],
    }),
    states: {
      sender: {
        initial: 'beating',
        states: {
          beating: {
            entry: 'beat',
            after: { period: { target: 'beating', reenter: true, description: 'HB1' } },
          },
        },
      },
      monitor: {
        meta: { raises: ['overdue'] },
        entry: 'watchAll',
        on: {
          heartbeat: [
            {
              guard: 'isSuspected',
              actions: ['trust', 'prolong', 'watchAgain'],
              description: 'HB4, HB5',
            },
            { actions: 'watchAgain', description: 'HB2' },
          ],
          overdue: { actions: 'suspect', description: 'HB3' },
        },
      },
    },
  });
