/**
 * Mutual exclusion by a token on a directed acyclic graph (F. Mattern's lecture notes, a generalisation of A7 to any connected graph).
 * At most 2(n−1) messages per entry, and those that tell neighbours; reliable channels, any order. Rules AG1–AG8: README.md
 */
import { type Chosen, choose, type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup } from 'xstate';
import { pointingTo } from '../building-blocks/edge-orientation.js';
import type { Command } from '../mutual-exclusion.js';

/** REVERSED is only sent where neighbours are told, ACKNOWLEDGED where they answer, and `entries` in REVERSED with `reversal: 'numbered'`. */
export type Message =
  | { readonly type: 'request' }
  | { readonly type: 'token'; readonly entries: number }
  | { readonly type: 'reversed'; readonly entries?: number }
  | { readonly type: 'acknowledged' };

export interface Input {
  readonly self: NodeId;
  /** The neighbours to which its edges point, the one to ask first; none where the token is at first. */
  readonly out: readonly NodeId[];
}

export interface Context extends Input {
  /** The neighbours, and perhaps `self`, that want the token, in the order in which they asked. */
  readonly queue: readonly NodeId[];
  /** The neighbours that have been told of a reversal and have not answered yet. */
  readonly telling: readonly NodeId[];
  /** While the token is here: how many entries there have been. With `reversal: 'numbered'`, see there. */
  readonly entries: number;
}

export type Event = Command | Received<Message> | Chosen<NodeId>;

export const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const enqueueSelf = node.assign(({ context }) => ({ queue: [...context.queue, context.self] }));

const enqueue = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { queue: [...context.queue, event.from] };
});

/** Any outgoing edge will do: this takes the first. */
const ask = node.enqueueActions(({ context: { out }, enqueue }) => {
  const [first] = out;
  if (first !== undefined) enqueue.emit(send(first, { type: 'request' }));
});

/** The option `edge: 'any'`: the host chooses. */
export const letChoose = node.emit(({ context }) => choose(...context.out));

const askChosen = node.emit(({ event }) => {
  assertEvent(event, 'chosen');
  return send(event.value, { type: 'request' });
});

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { entries: event.entries };
});

const enter = node.assign(({ context }) => ({
  entries: context.entries + 1,
  queue: context.queue.filter((id) => id !== context.self),
}));

/** Who sent the token has turned that edge itself; the other edges that pointed away are undirected from now on. */
const turnEdges = node.assign({ out: [] });

export const pointBack = node.assign(({ context, event }) => {
  assertEvent(event, 'reversed');
  return { out: pointingTo(event.from, context.out) };
});

const crossOff = node.assign(({ context, event }) => {
  assertEvent(event, 'acknowledged');
  return { telling: context.telling.filter((id) => id !== event.from) };
});

const passToken = node.enqueueActions(({ context: { queue, out, entries }, enqueue }) => {
  const [first, ...others] = queue;
  if (first === undefined) return;
  enqueue.emit(send(first, { type: 'token', entries }));
  enqueue.assign({ queue: others, out: pointingTo(first, out), entries: 0 });
});

export const machine = node
  .extend({
    actions: { enqueueSelf, enqueue, ask, askChosen, takeToken, enter, turnEdges, pointBack, crossOff, passToken },
    guards: {
      tokenIsHere: ({ context }) => context.out.length === 0,
      nobodyWaits: ({ context }) => context.queue.length === 0,
      oneWaits: ({ context }) => context.queue.length === 1,
      ownTurn: ({ context }) => context.queue[0] === context.self,
      allTold: ({ context }) => context.telling.length === 0,
    },
  })
  .createMachine({
    id: 'acyclic-graph',
    context: ({ input }) => ({ ...input, queue: [], telling: [], entries: 0 }),
    initial: 'released',
    states: {
      released: {
        initial: 'away',
        states: {
          away: {
            always: { guard: 'tokenIsHere', target: 'here' },
            on: {
              acquire: { target: '#wanted', actions: ['enqueueSelf', 'ask'] }, // AG1
              request: { target: 'asked', actions: ['enqueue', 'ask'] }, // AG2
              reversed: { actions: 'pointBack' }, // AG7
            },
          },
          asked: {
            on: {
              chosen: { actions: 'askChosen' }, // AG2
              acquire: { target: '#wanted', actions: 'enqueueSelf' }, // AG1
              request: { actions: 'enqueue' }, // AG2
              token: { target: 'settling', actions: ['takeToken', 'turnEdges'] }, // AG4, AG6
              reversed: { actions: 'pointBack' }, // AG7
            },
          },
          settling: {
            tags: 'token',
            always: [
              { guard: and(['allTold', 'oneWaits']), target: 'away', actions: 'passToken' }, // AG4
              { guard: 'allTold', target: 'asked', actions: ['passToken', 'ask'] }, // AG4
            ],
            on: {
              acquire: { target: '#wanted.settling', actions: 'enqueueSelf' }, // AG1
              request: { actions: 'enqueue' }, // AG2
              acknowledged: { actions: 'crossOff' }, // AG8
              reversed: { actions: 'pointBack' }, // AG7
            },
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: 'enter' }, // AG1
              request: { target: 'settling', actions: 'enqueue' }, // AG3
              acknowledged: { actions: 'crossOff' }, // AG8
              reversed: { actions: 'pointBack' }, // AG7
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        initial: 'asked',
        states: {
          asked: {
            on: {
              chosen: { actions: 'askChosen' }, // AG1
              request: { actions: 'enqueue' }, // AG2
              token: [
                { guard: 'ownTurn', target: '#held', actions: ['takeToken', 'turnEdges', 'enter'] }, // AG5, AG6
                { target: 'settling', actions: ['takeToken', 'turnEdges'] }, // AG4, AG6
              ],
              reversed: { actions: 'pointBack' }, // AG7
            },
          },
          settling: {
            tags: 'token',
            always: { guard: 'allTold', target: 'asked', actions: ['passToken', 'ask'] }, // AG4
            on: {
              request: { actions: 'enqueue' }, // AG2
              acknowledged: { actions: 'crossOff' }, // AG8
              reversed: { actions: 'pointBack' }, // AG7
            },
          },
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          request: { actions: 'enqueue' }, // AG2
          acknowledged: { actions: 'crossOff' }, // AG8
          reversed: { actions: 'pointBack' }, // AG7
          release: [
            { guard: 'nobodyWaits', target: 'released.here' }, // AG5
            { target: 'released.settling' }, // AG5
          ],
        },
      },
    },
  });
