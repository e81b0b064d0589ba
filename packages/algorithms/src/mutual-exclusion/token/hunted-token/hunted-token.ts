/**
 * Mutual exclusion by a token that is hunted round a one-way ring (Mattern's lecture notes, 1999/2000: a sketch, completed here).
 * n … 2(n−1) messages per entry at light load, 2 at heavy load; reliable channels, any order. Rules H1–H6: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';

export type Message =
  /** Somebody at or behind the sender wants the token, which had this hop count when it was at the sender last. */
  | { readonly type: 'hunt'; readonly hop: number }
  | {
      readonly type: 'token';
      /** How many hops it has made, and one more. */
      readonly hop: number;
      /** The node up to which it runs. */
      readonly end: NodeId;
      /** How many entries there have been. */
      readonly entries: number;
    };

export interface Input {
  readonly self: NodeId;
  readonly next: NodeId;
  /** Whether the token is here at first. */
  readonly first: boolean;
}

interface Context extends Omit<Input, 'first'> {
  /** The hop count of the token when it was here last; 0 when it never was. */
  readonly hop: number;
  /** Where the token is to rest next: of one that is here, or, if that is known already, of one that is on its way here. */
  readonly end: NodeId | null;
  /** While the token is here, how many entries there have been. */
  readonly entries: number;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const hunt = node.emit(({ context }) => send(context.next, { type: 'hunt', hop: context.hop }));

/** The token is to go all the way round, to the last that may have passed the hunt on: the node from which it came. */
const grantRound = node.assign(({ event }) => {
  assertEvent(event, 'hunt');
  return { end: event.from };
});

const takeToken = node.assign(({ context, event }) => {
  assertEvent(event, 'token');
  return { hop: event.hop, end: context.end ?? event.end, entries: event.entries };
});

const countEntry = node.assign(({ context }) => ({ entries: context.entries + 1 }));

const passToken = node.enqueueActions(({ context: { next, hop, end, entries }, enqueue }) => {
  if (end === null) return;
  enqueue.emit(send(next, { type: 'token', hop: hop + 1, end, entries }));
  enqueue.assign({ end: null, entries: 0 });
});

export const machine = node
  .extend({
    actions: { hunt, grantRound, takeToken, countEntry, passToken },
    guards: {
      endsHere: ({ context }) => context.end === context.self,
      /** The token has been at the sender since it was here: it is on its way, and the hunt that was sent behind it has overtaken it. */
      tokenIsComing: ({ context, event }) => {
        assertEvent(event, 'hunt');
        return event.hop > context.hop;
      },
    },
  })
  .createMachine({
    id: 'hunted-token',
    context: ({ input: { self, next, first } }) => ({ self, next, hop: first ? 1 : 0, end: first ? self : null, entries: 0 }),
    initial: 'released',
    states: {
      released: {
        initial: 'away',
        states: {
          away: {
            always: { guard: 'endsHere', target: 'here' },
            on: {
              acquire: { target: '#wanted', actions: 'hunt' }, // H1
              hunt: [
                { guard: 'tokenIsComing', target: 'expecting', actions: 'grantRound' }, // H6
                { target: 'expecting', actions: 'hunt' }, // H2
              ],
              token: { target: 'passing', actions: 'takeToken' }, // H5
            },
          },
          expecting: {
            on: {
              acquire: { target: '#wanted' }, // H1
              hunt: [
                { guard: 'tokenIsComing', actions: 'grantRound' }, // H6
                { description: 'a hunt has been sent from here since the token was' }, // H2
              ],
              token: { target: 'passing', actions: 'takeToken' }, // H5
            },
          },
          passing: {
            always: [
              { guard: 'endsHere', target: 'here' }, // H5
              { target: 'away', actions: 'passToken' }, // H5
            ],
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: 'countEntry' }, // H1
              hunt: { target: 'away', actions: ['grantRound', 'passToken'] }, // H3
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        on: {
          hunt: [
            { guard: 'tokenIsComing', actions: 'grantRound' }, // H6
            { description: 'a hunt has been sent from here since the token was' }, // H2
          ],
          token: { target: 'held', actions: ['takeToken', 'countEntry'] }, // H4
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          hunt: { actions: 'grantRound' }, // H3
          release: { target: 'released.passing' }, // H5
        },
      },
    },
  });
