/**
 * LeLann–Chang–Roberts election with message extinction (Le Lann, IFIP 1977; Chang & Roberts, CACM
 * 22:5, 1979). One-way ring, any order; n·H_n messages on average, n(n+1)/2 at worst, and n to
 * announce. Rules LCR1–LCR7: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../election.js';

/**
 * ELECTION carries the id of a candidate around the ring until a node with a larger id extinguishes
 * it; ELECTED announces the leader.
 */
export type Message =
  | { readonly type: 'election'; readonly id: NodeId }
  | { readonly type: 'elected'; readonly id: NodeId };

export interface Input {
  readonly self: NodeId;
  readonly next: NodeId;
}

interface Context extends Input {
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const candidate = node.emit(({ context }) =>
  send(context.next, { type: 'election', id: context.self }),
);

const forward = node.emit(({ context, event }) => {
  assertEvent(event, ['election', 'elected']);
  return send(context.next, { type: event.type, id: event.id });
});

const announce = node.emit(({ context }) =>
  send(context.next, { type: 'elected', id: context.self }),
);

const learn = node.assign(({ event }) => {
  assertEvent(event, ['election', 'elected']);
  return { leader: event.id };
});

export const machine = node
  .extend({
    actions: { candidate, forward, announce, learn },
    guards: {
      larger: ({ context, event }) => {
        assertEvent(event, 'election');
        return event.id > context.self;
      },
      smaller: ({ context, event }) => {
        assertEvent(event, 'election');
        return event.id < context.self;
      },
      own: ({ context, event }) => {
        assertEvent(event, ['election', 'elected']);
        return event.id === context.self;
      },
    },
  })
  .createMachine({
    id: 'lelann-chang-roberts',
    context: ({ input }) => ({ ...input, leader: null }),
    initial: 'passive',
    states: {
      passive: {
        initial: 'asleep',
        on: { elected: { target: 'follower', actions: ['learn', 'forward'], description: 'LCR6' } },
        states: {
          asleep: {
            on: {
              elect: { target: '#active', actions: 'candidate', description: 'LCR1' },
              election: [
                { guard: 'larger', target: 'relaying', actions: 'forward', description: 'LCR2' },
                { guard: 'smaller', target: '#active', actions: 'candidate', description: 'LCR3' },
              ],
            },
          },
          relaying: {
            tags: 'waiting',
            on: {
              elect: { description: 'LCR1: a larger candidate is on its way' },
              election: [
                { guard: 'larger', actions: 'forward', description: 'LCR2' },
                { guard: 'smaller', description: 'LCR4: extinguished' },
              ],
            },
          },
        },
      },
      active: {
        id: 'active',
        tags: 'waiting',
        on: {
          elect: { description: 'LCR1: it is a candidate already' },
          election: [
            {
              guard: 'larger',
              target: 'passive.relaying',
              actions: 'forward',
              description: 'LCR2',
            },
            { guard: 'smaller', description: 'LCR4: extinguished' },
            { guard: 'own', target: 'leader', actions: ['learn', 'announce'], description: 'LCR5' },
          ],
        },
      },
      leader: {
        tags: ['leader', 'decided'],
        initial: 'announcing',
        on: {
          elect: { description: 'LCR1: the election is decided' },
          election: { description: 'LCR4: extinguished, the winner has overtaken it' },
        },
        states: {
          announcing: { on: { elected: { guard: 'own', target: 'known', description: 'LCR7' } } },
          known: { tags: 'terminated' },
        },
      },
      follower: {
        tags: 'decided',
        on: {
          elect: { description: 'LCR1: the election is decided' },
          election: { description: 'LCR4: extinguished, the winner has overtaken it' },
        },
      },
    },
  });
