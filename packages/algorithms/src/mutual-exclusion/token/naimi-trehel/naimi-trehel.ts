/**
 * Mutual exclusion by path reversal (Naimi and Trehel, 1987). O(log n) messages per entry on
 * average, n at worst; reliable channels, any order. Rules NT1–NT5, GR1–GR3 for `greedy`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, not, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';
import { inBunches } from '../building-blocks/greedy.js';

/**
 * REQUEST names the node that wants to enter, since other nodes forward it. TOKEN carries the
 * number of entries so far.
 */
export type Message =
  | { readonly type: 'request'; readonly requester: NodeId }
  | { readonly type: 'token'; readonly entries: number };

export interface Input {
  readonly self: NodeId;
  /**
   * LAST of the paper, the probable owner: the last node known to have requested, perhaps this one.
   */
  readonly last: NodeId;
}

interface Context extends Input {
  /** NEXT of the paper: the node that gets the token from this one. */
  readonly next: NodeId | null;
  /** While the node has the token, the number of entries so far. */
  readonly entries: number;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const request = node.emit(({ context }) =>
  send(context.last, { type: 'request', requester: context.self }),
);

const forward = node.emit(({ context, event }) => {
  assertEvent(event, 'request');
  return send(context.last, { type: 'request', requester: event.requester });
});

const pointToSelf = node.assign(({ context }) => ({ last: context.self }));

const pointToRequester = node.assign(({ event }) => {
  assertEvent(event, 'request');
  return { last: event.requester };
});

const follow = node.assign(({ event }) => {
  assertEvent(event, 'request');
  return { next: event.requester };
});

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { entries: event.entries };
});

const countEntry = node.assign(({ context }) => ({ entries: context.entries + 1 }));

const passToken = node.enqueueActions(({ context: { next, entries }, enqueue }) => {
  if (next === null) return;
  enqueue.emit(send(next, { type: 'token', entries }));
  enqueue.assign({ next: null, entries: 0 });
});

export const machine = node
  .extend({
    actions: {
      request,
      forward,
      pointToSelf,
      pointToRequester,
      follow,
      takeToken,
      countEntry,
      passToken,
    },
    guards: { isLast: ({ context }) => context.last === context.self },
  })
  .createMachine({
    id: 'naimi-trehel',
    context: ({ input }) => ({ ...input, next: null, entries: 0 }),
    initial: 'released',
    states: {
      released: {
        initial: 'away',
        states: {
          away: {
            always: { guard: 'isLast', target: 'here' },
            on: {
              acquire: {
                target: '#wanted',
                actions: ['request', 'pointToSelf'],
                description: 'NT1',
              },
              request: { actions: ['forward', 'pointToRequester'], description: 'NT2' },
            },
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: 'countEntry', description: 'NT1' },
              request: {
                target: 'away',
                actions: ['follow', 'pointToRequester', 'passToken'],
                description: 'NT3',
              },
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        on: {
          request: [
            { guard: 'isLast', actions: ['follow', 'pointToRequester'], description: 'NT3' },
            { actions: ['forward', 'pointToRequester'], description: 'NT2' },
          ],
          token: { target: 'held', actions: ['takeToken', 'countEntry'], description: 'NT4' },
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          request: [
            { guard: 'isLast', actions: ['follow', 'pointToRequester'], description: 'NT3' },
            { actions: ['forward', 'pointToRequester'], description: 'NT2' },
          ],
          release: [
            { guard: 'isLast', target: 'released.here', description: 'NT5' },
            { target: 'released.away', actions: 'passToken', description: 'NT5' },
          ],
        },
      },
    },
  });

/** The machine with `greedy`. */
export const greedyMachine = inBunches(machine, {
  othersWait: not('isLast'),
  keeping: { request: { actions: ['forward', 'pointToRequester'], description: 'NT2' } },
});
