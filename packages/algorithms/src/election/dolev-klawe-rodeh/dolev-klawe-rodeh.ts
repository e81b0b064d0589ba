/**
 * Dolev–Klawe–Rodeh election, the basic algorithm (Journal of Algorithms 3, 1982; found
 * independently by Peterson, TOPLAS 4:4, 1982). One-way ring, FIFO; at most 2n⌊log₂ n⌋ + n
 * messages, and n to announce. Rules DKR1–DKR9: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../election.js';

/**
 * FIRST carries a value to the next active node, SECOND to the one after that; ELECTED announces
 * the leader.
 */
export type Message =
  | { readonly type: 'first'; readonly id: NodeId }
  | { readonly type: 'second'; readonly id: NodeId }
  | { readonly type: 'elected'; readonly id: NodeId };

export interface Input {
  readonly self: NodeId;
  readonly next: NodeId;
}

interface Context extends Input {
  /** The value of an active node: its own id at first, later that of a node before it. */
  readonly max: NodeId;
  /** The value of the nearest active node before it. */
  readonly left: NodeId | null;
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const sendMax = node.emit(({ context }) => send(context.next, { type: 'first', id: context.max }));

const noteLeft = node.assign(({ event }) => {
  assertEvent(event, 'first');
  return { left: event.id };
});

const passLeftOn = node.emit(({ event, context }) => {
  assertEvent(event, 'first');
  return send(context.next, { type: 'second', id: event.id });
});

const adoptLeft = node.assign(({ context }) => ({ max: context.left ?? context.max, left: null }));

const forward = node.emit(({ context, event }) => {
  assertEvent(event, ['first', 'second', 'elected']);
  return send(context.next, { type: event.type, id: event.id });
});

const announce = node.emit(({ context }) =>
  send(context.next, { type: 'elected', id: context.max }),
);

const learn = node.assign(({ event }) => {
  assertEvent(event, ['first', 'elected']);
  return { leader: event.id };
});

export const machine = node
  .extend({
    actions: { sendMax, noteLeft, passLeftOn, adoptLeft, forward, announce, learn },
    guards: {
      cameBack: ({ context, event }) => {
        assertEvent(event, ['first', 'elected']);
        return event.id === context.max;
      },
      leftIsLocalMaximum: ({ context, event }) => {
        assertEvent(event, 'second');
        return context.left !== null && context.left > event.id && context.left > context.max;
      },
      own: ({ context, event }) => {
        assertEvent(event, 'elected');
        return event.id === context.self;
      },
    },
  })
  .createMachine({
    id: 'dolev-klawe-rodeh',
    context: ({ input }) => ({ ...input, max: input.self, left: null, leader: null }),
    initial: 'asleep',
    states: {
      asleep: {
        on: {
          elect: { target: 'active', actions: 'sendMax', description: 'DKR1' },
          first: {
            target: 'active.awaitingSecond',
            actions: ['sendMax', 'noteLeft', 'passLeftOn'],
            description: 'DKR2',
          },
        },
      },
      active: {
        tags: 'waiting',
        initial: 'awaitingFirst',
        on: { elect: { description: 'DKR1: it takes part already' } },
        states: {
          awaitingFirst: {
            on: {
              first: [
                {
                  guard: 'cameBack',
                  target: '#announcer',
                  actions: ['learn', 'announce'],
                  description: 'DKR7',
                },
                {
                  target: 'awaitingSecond',
                  actions: ['noteLeft', 'passLeftOn'],
                  description: 'DKR3',
                },
              ],
            },
          },
          awaitingSecond: {
            on: {
              second: [
                {
                  guard: 'leftIsLocalMaximum',
                  target: 'awaitingFirst',
                  actions: ['adoptLeft', 'sendMax'],
                  description: 'DKR4',
                },
                { target: '#relaying', description: 'DKR5' },
              ],
            },
          },
        },
      },
      relaying: {
        id: 'relaying',
        tags: 'waiting',
        on: {
          elect: { description: 'DKR1: it takes part already' },
          first: { actions: 'forward', description: 'DKR6' },
          second: { actions: 'forward', description: 'DKR6' },
          elected: [
            { guard: 'own', target: 'leader', actions: ['learn', 'forward'], description: 'DKR8' },
            { target: 'follower', actions: ['learn', 'forward'], description: 'DKR8' },
          ],
        },
      },
      announcer: {
        id: 'announcer',
        tags: 'decided',
        initial: 'announcing',
        on: { elect: { description: 'DKR1: the election is decided' } },
        states: {
          announcing: {
            on: { elected: { guard: 'cameBack', target: 'known', description: 'DKR9' } },
          },
          known: { tags: 'terminated' },
        },
      },
      leader: {
        tags: ['leader', 'decided'],
        on: { elect: { description: 'DKR1: the election is decided' } },
      },
      follower: {
        tags: 'decided',
        on: { elect: { description: 'DKR1: the election is decided' } },
      },
    },
  });
