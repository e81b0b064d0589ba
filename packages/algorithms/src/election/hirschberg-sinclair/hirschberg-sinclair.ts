/**
 * Hirschberg–Sinclair election (CACM 23:11, 1980). Two-way ring, any order; at most 8n(⌈log₂ n⌉ +
 * 1) messages, and n to announce. Rules HS1–HS10: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command, Sides } from '../election.js';

/**
 * ELECTION carries the id of a candidate to at most 2^phase nodes on one side, and REPLY tells the
 * candidate that all of them are smaller. ELECTED announces the leader.
 */
export type Message =
  | {
      readonly type: 'election';
      readonly id: NodeId;
      readonly phase: number;
      readonly hops: number;
    }
  | { readonly type: 'reply'; readonly id: NodeId; readonly phase: number }
  | { readonly type: 'elected'; readonly id: NodeId };

interface Context extends Sides {
  /** A candidate's phase. */
  readonly phase: number;
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Sides; context: Context; events: Event; emitted: Effect<Message> },
});

const sendBoth = node.enqueueActions(({ context: { left, right, self, phase }, enqueue }) => {
  for (const side of [left, right])
    enqueue.emit(send(side, { type: 'election', id: self, phase, hops: 1 }));
});

const nextPhase = node.assign(({ context }) => ({ phase: context.phase + 1 }));

const forward = node.emit(({ context, event }) => {
  assertEvent(event, ['election', 'reply', 'elected']);
  const { from, ...message } = event;
  const to = from === context.left ? context.right : context.left;
  return send(to, message.type === 'election' ? { ...message, hops: message.hops + 1 } : message);
});

const reply = node.emit(({ event }) => {
  assertEvent(event, 'election');
  return send(event.from, { type: 'reply', id: event.id, phase: event.phase });
});

const win = node.assign(({ context }) => ({ leader: context.self }));

const announce = node.emit(({ context }) =>
  send(context.right, { type: 'elected', id: context.self }),
);

const learn = node.assign(({ event }) => {
  assertEvent(event, 'elected');
  return { leader: event.id };
});

export const machine = node
  .extend({
    actions: { sendBoth, nextPhase, forward, reply, win, announce, learn },
    guards: {
      smaller: ({ context, event }) => {
        assertEvent(event, 'election');
        return event.id < context.self;
      },
      own: ({ context, event }) => {
        assertEvent(event, ['election', 'reply']);
        return event.id === context.self;
      },
      last: ({ event }) => {
        assertEvent(event, 'election');
        return event.hops >= 2 ** event.phase;
      },
    },
  })
  .createMachine({
    id: 'hirschberg-sinclair',
    context: ({ input }) => ({ ...input, phase: 0, leader: null }),
    initial: 'asleep',
    states: {
      asleep: {
        on: {
          elect: { target: 'candidate', actions: 'sendBoth', description: 'HS1' },
          election: [
            { guard: 'smaller', target: 'candidate', actions: 'sendBoth', description: 'HS2' },
            { guard: 'last', target: 'relaying', actions: 'reply', description: 'HS4' },
            { target: 'relaying', actions: 'forward', description: 'HS3' },
          ],
        },
      },
      candidate: {
        tags: 'waiting',
        initial: 'awaitingBoth',
        on: {
          elect: { description: 'HS1: it takes part already' },
          election: [
            { guard: 'smaller', description: 'HS5: extinguished' },
            { guard: 'own', target: 'leader', actions: ['win', 'announce'], description: 'HS8' },
            { guard: 'last', target: 'relaying', actions: 'reply', description: 'HS4' },
            { target: 'relaying', actions: 'forward', description: 'HS3' },
          ],
        },
        states: {
          awaitingBoth: { on: { reply: { target: 'awaitingOne', description: 'HS7' } } },
          awaitingOne: {
            on: {
              reply: {
                target: 'awaitingBoth',
                actions: ['nextPhase', 'sendBoth'],
                description: 'HS7',
              },
            },
          },
        },
      },
      relaying: {
        tags: 'waiting',
        on: {
          elect: { description: 'HS1: it takes part already' },
          election: [
            { guard: 'smaller', description: 'HS5: extinguished' },
            { guard: 'last', actions: 'reply', description: 'HS4' },
            { actions: 'forward', description: 'HS3' },
          ],
          reply: [
            { guard: 'own', description: 'HS6: it is no candidate any longer' },
            { actions: 'forward', description: 'HS6' },
          ],
          elected: { target: 'follower', actions: ['learn', 'forward'], description: 'HS9' },
        },
      },
      leader: {
        tags: ['leader', 'decided'],
        initial: 'announcing',
        on: {
          elect: { description: 'HS1: the election is decided' },
          election: { description: 'HS5: extinguished, or its own id from the other side' },
        },
        states: {
          announcing: { on: { elected: { target: 'known', description: 'HS10' } } },
          known: { tags: 'terminated' },
        },
      },
      follower: {
        tags: 'decided',
        on: {
          elect: { description: 'HS1: the election is decided' },
          election: { description: 'HS5: extinguished, the leader is known' },
          reply: { description: 'HS6: its candidate has lost' },
        },
      },
    },
  });
