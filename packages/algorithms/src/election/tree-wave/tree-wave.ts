/**
 * Election on a tree by an exploration, an echo and an information wave (F. Mattern: Verteilte
 * Basisalgorithmen, 1989). Any order; 3n − 4 + k messages exactly for k initiators. Rules TW1–TW6:
 * README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup } from 'xstate';
import { crossedOff, joined, type Part } from '../../waves/wave.js';
import type { Command } from '../election.js';

/**
 * EXPLORER wakes a node, ECHO carries the largest id behind its sender, and ELECTED tells the
 * leader.
 */
export type Message =
  | { readonly type: 'explorer' }
  | { readonly type: 'echo'; readonly id: NodeId }
  | { readonly type: 'elected'; readonly id: NodeId };

export interface Input {
  readonly self: NodeId;
  readonly neighbours: readonly NodeId[];
}

interface Context extends Input, Pick<Part, 'pending'> {
  /** The largest id that the node has heard of, its own included. */
  readonly max: NodeId;
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const largerOf = (one: NodeId, other: NodeId): NodeId => (one > other ? one : other);

const explore = node.enqueueActions(({ context: { neighbours }, event, enqueue }) => {
  for (const id of neighbours)
    if (!('from' in event) || id !== event.from) enqueue.emit(send(id, { type: 'explorer' }));
});

const note = node.assign(({ context, event }) => {
  assertEvent(event, 'echo');
  return { ...crossedOff(context, event.from), max: largerOf(context.max, event.id) };
});

const echo = node.enqueueActions(({ context: { pending, max }, enqueue }) => {
  for (const id of pending) enqueue.emit(send(id, { type: 'echo', id: max }));
});

const learn = node.assign(({ context, event }) => {
  assertEvent(event, ['echo', 'elected']);
  return { leader: largerOf(context.max, event.id) };
});

const inform = node.enqueueActions(({ context: { neighbours, leader }, event, enqueue }) => {
  assertEvent(event, ['echo', 'elected']);
  for (const id of neighbours)
    if (leader !== null && id !== event.from)
      enqueue.emit(send(id, { type: 'elected', id: leader }));
});

export const machine = node
  .extend({
    actions: {
      explore,
      note,
      echo,
      learn,
      inform,
      learnOwn: node.assign(({ context }) => ({ leader: context.self })),
    },
    guards: {
      isAlone: ({ context }) => context.neighbours.length === 0,
      oneIsLeft: ({ context }) => context.pending.length === 1,
      isLargest: ({ context, event }) => {
        assertEvent(event, ['echo', 'elected']);
        return largerOf(context.max, event.id) === context.self;
      },
    },
  })
  .createMachine({
    id: 'tree-wave',
    context: ({ input }) => ({
      ...input,
      pending: joined(input.neighbours, null).pending,
      max: input.self,
      leader: null,
    }),
    initial: 'asleep',
    states: {
      asleep: {
        on: {
          elect: [
            { guard: 'isAlone', target: 'leader', actions: 'learnOwn', description: 'TW1' },
            { target: 'awake', actions: 'explore', description: 'TW1' },
          ],
          explorer: { target: 'awake', actions: 'explore', description: 'TW2' },
          echo: [
            {
              guard: and(['oneIsLeft', 'isLargest']),
              target: 'leader',
              actions: ['echo', 'learn'],
              description: 'TW4, TW5',
            },
            {
              guard: 'oneIsLeft',
              target: 'follower',
              actions: ['echo', 'learn'],
              description: 'TW4, TW5',
            },
            { target: 'awake', actions: ['explore', 'note'], description: 'TW2, TW3' },
          ],
        },
      },
      awake: {
        tags: 'waiting',
        always: { guard: 'oneIsLeft', target: 'echoed', actions: 'echo', description: 'TW4' },
        on: {
          elect: { description: 'TW1: it takes part already' },
          explorer: { description: 'TW2: it is awake' },
          echo: { actions: 'note', description: 'TW3' },
        },
      },
      echoed: {
        tags: 'waiting',
        on: {
          elect: { description: 'TW1: it takes part already' },
          explorer: { description: 'TW2: it is awake' },
          echo: [
            {
              guard: 'isLargest',
              target: 'leader',
              actions: ['learn', 'inform'],
              description: 'TW5',
            },
            { target: 'follower', actions: ['learn', 'inform'], description: 'TW5' },
          ],
          elected: [
            {
              guard: 'isLargest',
              target: 'leader',
              actions: ['learn', 'inform'],
              description: 'TW6',
            },
            { target: 'follower', actions: ['learn', 'inform'], description: 'TW6' },
          ],
        },
      },
      leader: {
        tags: ['leader', 'decided'],
        on: {
          elect: { description: 'TW1: the election is decided' },
          explorer: { description: 'TW2: overtaken by the echoes' },
        },
      },
      follower: {
        tags: 'decided',
        on: {
          elect: { description: 'TW1: the election is decided' },
          explorer: { description: 'TW2: overtaken by the echoes' },
        },
      },
    },
  });
