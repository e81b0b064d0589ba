/**
 * Mutual exclusion by path reversal (Naimi and Trehel, 1987). O(log n) messages per entry on average, n at worst;
 * reliable channels, any order. Rules NT1–NT5: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../mutual-exclusion.js';

/** REQUEST names who wants to enter, since whoever passes it on is not the one. */
export type Message = { readonly type: 'request'; readonly requester: NodeId } | { readonly type: 'token' };

export interface Input {
  readonly self: NodeId;
  /** The probable owner: who wished last, as far as this node has heard; itself when nobody has since. LAST of the paper. */
  readonly last: NodeId;
}

interface Context extends Input {
  /** Who gets the token from here. NEXT of the paper. */
  readonly next: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const ask = node.emit(({ context }) => send(context.last, { type: 'request', requester: context.self }));

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

const passToken = node.enqueueActions(({ context: { next }, enqueue }) => {
  if (next === null) return;
  enqueue.emit(send(next, { type: 'token' }));
  enqueue.assign({ next: null });
});

export const machine = node
  .extend({
    actions: { ask, forward, pointToSelf, pointToRequester, follow, passToken },
    guards: { isLast: ({ context }) => context.last === context.self },
  })
  .createMachine({
    id: 'naimi-trehel',
    context: ({ input }) => ({ ...input, next: null }),
    initial: 'released',
    states: {
      released: {
        initial: 'away',
        states: {
          away: {
            always: { guard: 'isLast', target: 'here' },
            on: {
              acquire: { target: '#wanted', actions: ['ask', 'pointToSelf'] }, // NT1
              request: { actions: ['forward', 'pointToRequester'] }, // NT2
            },
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held' }, // NT1
              request: { target: 'away', actions: ['follow', 'pointToRequester', 'passToken'] }, // NT3
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        on: {
          request: [
            { guard: 'isLast', actions: ['follow', 'pointToRequester'] }, // NT3
            { actions: ['forward', 'pointToRequester'] }, // NT2
          ],
          token: { target: 'held' }, // NT4
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          request: [
            { guard: 'isLast', actions: ['follow', 'pointToRequester'] }, // NT3
            { actions: ['forward', 'pointToRequester'] }, // NT2
          ],
          release: [
            { guard: 'isLast', target: 'released.here' }, // NT5
            { target: 'released.away', actions: 'passToken' }, // NT5
          ],
        },
      },
    },
  });
