/**
 * Franklin's election (CACM 25:5, 1982). Two-way ring, FIFO; at most 2n⌊log₂ n⌋ + 2n messages, and
 * n to announce. Rules FR1–FR9: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command, Sides } from '../election.js';

/**
 * CANDIDATE carries the id of an active node to the next active node; ELECTED announces the leader.
 */
export type Message =
  | { readonly type: 'candidate'; readonly id: NodeId }
  | { readonly type: 'elected'; readonly id: NodeId };

interface Context extends Sides {
  /** The ids from each side that an active node has not compared yet, one for each round. */
  readonly fromLeft: readonly NodeId[];
  readonly fromRight: readonly NodeId[];
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Sides; context: Context; events: Event; emitted: Effect<Message> },
});

const sendLeft = node.emit(({ context }) =>
  send(context.left, { type: 'candidate', id: context.self }),
);
const sendRight = node.emit(({ context }) =>
  send(context.right, { type: 'candidate', id: context.self }),
);

const keep = node.assign(({ context, event }) => {
  assertEvent(event, 'candidate');
  return event.from === context.left
    ? { fromLeft: [...context.fromLeft, event.id] }
    : { fromRight: [...context.fromRight, event.id] };
});

/** The neighbours of this round are compared. */
const endRound = node.assign(({ context }) => ({
  fromLeft: context.fromLeft.slice(1),
  fromRight: context.fromRight.slice(1),
}));

/** The ids of later rounds are for the active nodes behind this one. */
const passOnKept = node.enqueueActions(({ context, enqueue }) => {
  for (const id of context.fromLeft) enqueue.emit(send(context.right, { type: 'candidate', id }));
  for (const id of context.fromRight) enqueue.emit(send(context.left, { type: 'candidate', id }));
  enqueue.assign({ fromLeft: [], fromRight: [] });
});

const forward = node.emit(({ context, event }) => {
  assertEvent(event, ['candidate', 'elected']);
  return send(event.from === context.left ? context.right : context.left, {
    type: event.type,
    id: event.id,
  });
});

const win = node.assign(({ context }) => ({ leader: context.self }));

const announce = node.emit(({ context }) =>
  send(context.right, { type: 'elected', id: context.self }),
);

const learn = node.assign(({ event }) => {
  assertEvent(event, 'elected');
  return { leader: event.id };
});

/** The nearest active nodes of this round, once both are known. */
const neighbours = ({ fromLeft: [left], fromRight: [right] }: Context) =>
  left === undefined || right === undefined ? undefined : { left, right };

export const machine = node
  .extend({
    actions: { sendLeft, sendRight, keep, endRound, passOnKept, forward, win, announce, learn },
    guards: {
      bothAreOwn: ({ context }) => {
        const both = neighbours(context);
        return both?.left === context.self && both.right === context.self;
      },
      bothAreSmaller: ({ context }) => {
        const both = neighbours(context);
        return both !== undefined && both.left < context.self && both.right < context.self;
      },
      bothAreKnown: ({ context }) => neighbours(context) !== undefined,
    },
  })
  .createMachine({
    id: 'franklin',
    context: ({ input }) => ({ ...input, fromLeft: [], fromRight: [], leader: null }),
    initial: 'asleep',
    states: {
      asleep: {
        on: {
          elect: { target: 'active', actions: ['sendLeft', 'sendRight'], description: 'FR1' },
          candidate: {
            target: 'active',
            actions: ['sendLeft', 'sendRight', 'keep'],
            description: 'FR2',
          },
        },
      },
      active: {
        tags: 'waiting',
        on: {
          elect: { description: 'FR1: it takes part already' },
          candidate: { actions: 'keep', description: 'FR3' },
        },
        always: [
          {
            guard: 'bothAreOwn',
            target: 'leader',
            actions: ['win', 'announce'],
            description: 'FR7',
          },
          {
            guard: 'bothAreSmaller',
            actions: ['endRound', 'sendLeft', 'sendRight'],
            description: 'FR4',
          },
          {
            guard: 'bothAreKnown',
            target: 'relaying',
            actions: ['endRound', 'passOnKept'],
            description: 'FR5',
          },
        ],
      },
      relaying: {
        tags: 'waiting',
        on: {
          elect: { description: 'FR1: it takes part already' },
          candidate: { actions: 'forward', description: 'FR6' },
          elected: { target: 'follower', actions: ['learn', 'forward'], description: 'FR8' },
        },
      },
      leader: {
        tags: ['leader', 'decided'],
        initial: 'announcing',
        on: { elect: { description: 'FR1: the election is decided' } },
        states: {
          announcing: { on: { elected: { target: 'known', description: 'FR9' } } },
          known: { tags: 'terminated' },
        },
      },
      follower: { tags: 'decided', on: { elect: { description: 'FR1: the election is decided' } } },
    },
  });
