/**
 * Mutual exclusion by path reversal (Naimi and Trehel, 1987). O(log n) messages per entry on average, n at worst;
 * reliable channels, any order. Rules NT1–NT5: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';

/** REQUEST names who wants to enter, since whoever passes it on is not the one. TOKEN carries how many entries there have been. */
export type Message = { readonly type: 'request'; readonly requester: NodeId } | { readonly type: 'token'; readonly entries: number };

export interface Input {
  readonly self: NodeId;
  /** The probable owner: who wished last, as far as this node has heard; itself when nobody has since. LAST of the paper. */
  readonly last: NodeId;
}

interface Context extends Input {
  /** Who gets the token from here. NEXT of the paper. */
  readonly next: NodeId | null;
  /** While the token is here, how many entries there have been. */
  readonly entries: number;
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
    actions: { ask, forward, pointToSelf, pointToRequester, follow, takeToken, countEntry, passToken },
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
              acquire: { target: '#wanted', actions: ['ask', 'pointToSelf'] }, // NT1
              request: { actions: ['forward', 'pointToRequester'] }, // NT2
            },
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: 'countEntry' }, // NT1
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
          token: { target: 'held', actions: ['takeToken', 'countEntry'] }, // NT4
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
