/**
 * Election by extinction of messages on any connected network (F. Mattern: Verteilte Algorithmen,
 * lecture notes, 1999/2000), and the same on top of the echo algorithm (G. Tel: Introduction to
 * Distributed Algorithms, 2000, section 7.3). Any order; at most k(2e − n + 1) messages for k
 * initiators, or 2ke + n − 1. Rules EX1–EX4, and EX5–EX9 with termination: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup } from 'xstate';
import { flag, type OptionSchemas } from '../../options.js';
import { crossedOff, joined, type Part, withNode } from '../../waves/wave.js';
import type { Command } from '../election.js';

export type Options = {
  /**
   * Whether each candidate starts an echo wave, so that every node learns that the election is
   * over. Default false.
   */
  readonly terminating?: boolean;
};

export const extinctionOptions: OptionSchemas<Options> = {
  terminating: flag('candidates start echo waves, so that every node learns the leader'),
};

/**
 * EXPLORER carries the id of an initiator; with termination, ECHO answers it, and ELECTED tells the
 * leader.
 */
export type Message =
  | { readonly type: 'explorer'; readonly id: NodeId }
  | { readonly type: 'echo'; readonly id: NodeId }
  | { readonly type: 'elected'; readonly id: NodeId };

interface Input {
  readonly self: NodeId;
  readonly neighbours: readonly NodeId[];
}

export type Event = Command | Received<Message>;

interface Flooding extends Input {
  /** The largest id that the node has heard of; null while it is asleep. */
  readonly max: NodeId | null;
}

interface Context extends Flooding, Part {
  /** The neighbours that have echoed the wave of `max`. */
  readonly children: readonly NodeId[];
  readonly leader: NodeId | null;
}

const isLarger = ({
  context,
  event,
}: {
  readonly context: Flooding;
  readonly event: Event;
}): boolean => {
  assertEvent(event, 'explorer');
  return context.max === null || event.id > context.max;
};

const flooding = setup({
  types: {} as { input: Input; context: Flooding; events: Event; emitted: Effect<Message> },
});

const flood = flooding.enqueueActions(({ context: { neighbours, max }, event, enqueue }) => {
  for (const to of neighbours)
    if (max !== null && (!('from' in event) || to !== event.from))
      enqueue.emit(send(to, { type: 'explorer', id: max }));
});

/** The plain algorithm: no node learns that the election is over. */
export const machine = flooding
  .extend({
    actions: {
      noteOwn: flooding.assign(({ context }) => ({ max: context.self })),
      note: flooding.assign(({ event }) => {
        assertEvent(event, 'explorer');
        return { max: event.id };
      }),
      flood,
    },
    guards: { isLarger },
  })
  .createMachine({
    id: 'extinction',
    context: ({ input }) => ({ ...input, max: null }),
    initial: 'asleep',
    states: {
      asleep: {
        on: {
          elect: { target: 'candidate', actions: ['noteOwn', 'flood'], description: 'EX1' },
          explorer: { target: 'relaying', actions: ['note', 'flood'], description: 'EX2' },
        },
      },
      candidate: {
        tags: ['reached', 'candidate'],
        on: {
          elect: { description: 'EX1: it is a candidate already' },
          explorer: [
            {
              guard: 'isLarger',
              target: 'relaying',
              actions: ['note', 'flood'],
              description: 'EX3',
            },
            { description: 'EX4: extinguished' },
          ],
        },
      },
      relaying: {
        tags: 'reached',
        on: {
          elect: { description: 'EX1: another candidate has reached it' },
          explorer: [
            { guard: 'isLarger', actions: ['note', 'flood'], description: 'EX3' },
            { description: 'EX4: extinguished' },
          ],
        },
      },
    },
  });

const waving = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const begin = waving.assign(({ context: { self, neighbours } }) => ({
  max: self,
  ...joined(neighbours, null),
}));

const join = waving.assign(({ context, event }) => {
  assertEvent(event, 'explorer');
  return { max: event.id, ...joined(context.neighbours, event.from), children: [] };
});

const explore = waving.enqueueActions(({ context: { pending, max }, enqueue }) => {
  for (const to of pending) if (max !== null) enqueue.emit(send(to, { type: 'explorer', id: max }));
});

const crossOff = waving.assign(({ context, event }) => {
  assertEvent(event, ['explorer', 'echo']);
  return crossedOff(context, event.from);
});

const adopt = waving.assign(({ context, event }) => {
  assertEvent(event, 'echo');
  return { children: withNode(context.children, event.from) };
});

const echo = waving.enqueueActions(({ context: { parent, max }, enqueue }) => {
  if (parent !== null && max !== null) enqueue.emit(send(parent, { type: 'echo', id: max }));
});

const announce = waving.enqueueActions(({ context: { children, leader }, enqueue }) => {
  for (const to of children)
    if (leader !== null) enqueue.emit(send(to, { type: 'elected', id: leader }));
});

/**
 * Extinction on top of the echo algorithm: the wave of the largest initiator returns, and no other
 * does.
 */
export const terminatingMachine = waving
  .extend({
    actions: {
      begin,
      join,
      explore,
      crossOff,
      adopt,
      echo,
      announce,
      learn: waving.assign(({ context }) => ({ leader: context.max })),
    },
    guards: {
      isLarger,
      isSame: ({ context, event }) => {
        assertEvent(event, ['explorer', 'echo']);
        return event.id === context.max;
      },
      heardFromAll: ({ context }) => context.pending.length === 0,
      isOwn: ({ context }) => context.max === context.self,
    },
  })
  .createMachine({
    id: 'terminating-extinction',
    context: ({ input }) => ({
      ...input,
      max: null,
      parent: null,
      pending: [],
      children: [],
      leader: null,
    }),
    initial: 'asleep',
    states: {
      asleep: {
        on: {
          elect: { target: 'red', actions: ['begin', 'explore'], description: 'EX1, EX5' },
          explorer: { target: 'red', actions: ['join', 'explore'], description: 'EX2, EX5' },
        },
      },
      red: {
        tags: 'waiting',
        always: [
          {
            guard: and(['heardFromAll', 'isOwn']),
            target: 'leader',
            actions: ['learn', 'announce'],
            description: 'EX8',
          },
          { guard: 'heardFromAll', target: 'green', actions: 'echo', description: 'EX7' },
        ],
        on: {
          elect: { description: 'EX1: it takes part already' },
          explorer: [
            { guard: 'isLarger', actions: ['join', 'explore'], description: 'EX3, EX5' },
            { guard: 'isSame', actions: 'crossOff', description: 'EX6' },
            { description: 'EX4: extinguished' },
          ],
          echo: [
            { guard: 'isSame', actions: ['crossOff', 'adopt'], description: 'EX6' },
            { description: 'EX4: extinguished' },
          ],
        },
      },
      green: {
        tags: 'waiting',
        on: {
          elect: { description: 'EX1: it takes part already' },
          explorer: [
            {
              guard: 'isLarger',
              target: 'red',
              actions: ['join', 'explore'],
              description: 'EX3, EX5',
            },
            { description: 'EX4: extinguished' },
          ],
          echo: { description: 'EX4: extinguished' },
          elected: { target: 'follower', actions: ['learn', 'announce'], description: 'EX9' },
        },
      },
      leader: {
        tags: ['leader', 'decided'],
        on: {
          elect: { description: 'EX1: the election is decided' },
          explorer: { description: 'EX4: extinguished' },
        },
      },
      follower: {
        tags: 'decided',
        on: {
          elect: { description: 'EX1: the election is decided' },
          explorer: { description: 'EX4: extinguished' },
          echo: { description: 'EX4: extinguished' },
        },
      },
    },
  });
