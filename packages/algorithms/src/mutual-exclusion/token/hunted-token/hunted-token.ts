/**
 * Mutual exclusion by a token that is hunted round a one-way ring (F. Mattern's lecture notes,
 * 1999/2000: a sketch, completed here). n … 2(n−1) messages per entry at light load, 2 at heavy
 * load; reliable channels, any order. Rules HT1–HT6, GR1–GR3 for `greedy`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, not, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';
import { inBunches } from '../building-blocks/greedy.js';

export type Message =
  /**
   * The sender, or a node behind it, requests the token, which had this hop count when it was at
   * the sender last.
   */
  | { readonly type: 'hunt'; readonly hop: number }
  | {
      readonly type: 'token';
      /** The number of its hops so far, plus one. */
      readonly hop: number;
      /** The node at which it stops. */
      readonly end: NodeId;
      /** The number of entries so far. */
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
  /**
   * Where the round of the token ends: of a token that is here, or of one that is on its way here
   * and has been granted a round already.
   */
  readonly end: NodeId | null;
  /** While the token is here: the number of entries so far. */
  readonly entries: number;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const hunt = node.emit(({ context }) => send(context.next, { type: 'hunt', hop: context.hop }));

/**
 * The last node that passed the hunt on is the one from which it came: the token visits all that
 * did.
 */
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
      /**
       * The token has been at the sender since it was here: it is on its way, and the hunt that was
       * sent behind it has overtaken it.
       */
      tokenIsComing: ({ context, event }) => {
        assertEvent(event, 'hunt');
        return event.hop > context.hop;
      },
    },
  })
  .createMachine({
    id: 'hunted-token',
    context: ({ input: { self, next, first } }) => ({
      self,
      next,
      hop: first ? 1 : 0,
      end: first ? self : null,
      entries: 0,
    }),
    initial: 'released',
    states: {
      released: {
        initial: 'away',
        states: {
          away: {
            always: { guard: 'endsHere', target: 'here' },
            on: {
              acquire: { target: '#wanted', actions: 'hunt', description: 'HT1' },
              hunt: [
                {
                  guard: 'tokenIsComing',
                  target: 'expecting',
                  actions: 'grantRound',
                  description: 'HT6',
                },
                { target: 'expecting', actions: 'hunt', description: 'HT2' },
              ],
              token: { target: 'passing', actions: 'takeToken', description: 'HT5' },
            },
          },
          expecting: {
            on: {
              acquire: { target: '#wanted', description: 'HT1' },
              hunt: [
                { guard: 'tokenIsComing', actions: 'grantRound', description: 'HT6' },
                { description: 'HT2: a hunt has been sent since the last visit' },
              ],
              token: { target: 'passing', actions: 'takeToken', description: 'HT5' },
            },
          },
          passing: {
            always: [
              { guard: 'endsHere', target: 'here', description: 'HT5' },
              { target: 'away', actions: 'passToken', description: 'HT5' },
            ],
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: 'countEntry', description: 'HT1' },
              hunt: { target: 'away', actions: ['grantRound', 'passToken'], description: 'HT3' },
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        on: {
          hunt: [
            { guard: 'tokenIsComing', actions: 'grantRound', description: 'HT6' },
            { description: 'HT2: a hunt has been sent since the last visit' },
          ],
          token: { target: 'held', actions: ['takeToken', 'countEntry'], description: 'HT4' },
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          hunt: { actions: 'grantRound', description: 'HT3' },
          release: { target: 'released.passing', description: 'HT5' },
        },
      },
    },
  });

/** The machine with `greedy`. */
export const greedyMachine = inBunches(machine, { othersWait: not('endsHere') });
