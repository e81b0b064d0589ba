/**
 * Mutual exclusion by a token on a directed acyclic graph (F. Mattern's lecture notes, a generalisation of A7 to any connected graph).
 * At most 2(n−1) messages per entry, and those that tell neighbours; reliable channels, any order. Rules AG1–AG8: README.md
 */
import { type Chosen, choose, type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';
import { pointingTo } from '../building-blocks/edge-orientation.js';

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
const letChoose = node.emit(({ context }) => choose(...context.out));

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

const member = node.extend({
  actions: { enqueueSelf, enqueue, ask, askChosen, takeToken, enter, turnEdges, pointBack, crossOff, passToken },
  guards: {
    tokenIsHere: ({ context }) => context.out.length === 0,
    nobodyWaits: ({ context }) => context.queue.length === 0,
    oneWaits: ({ context }) => context.queue.length === 1,
    ownTurn: ({ context }) => context.queue[0] === context.self,
    allTold: ({ context }) => context.telling.length === 0,
  },
});

/** What a chart has to be ready for. */
export interface Readiness {
  /** Whether neighbours are told that the token is there, and whether they answer before it goes on. */
  readonly neighbours: 'are not told' | 'are told' | 'answer';
  /** Whether the host chooses over which edge to ask. */
  readonly chooses: boolean;
}

export const chart = ({ neighbours, chooses }: Readiness) => {
  const chosen = chooses && ({ chosen: { actions: 'askChosen' } } as const); // AG1, AG2
  const told = neighbours !== 'are not told' && ({ reversed: { actions: 'pointBack' } } as const); // AG7
  /** News that come where the token is are late: it has come here since. Where neighbours answer, it stays until there are none. */
  const late = neighbours === 'are told' && told;
  const answered = neighbours === 'answer' && ({ acknowledged: { actions: 'crossOff' } } as const); // AG8
  /** While answers are awaited, everything else may come. */
  const awaiting = neighbours === 'answer' && ({ request: { actions: 'enqueue' } } as const); // AG2
  const machine = member.createMachine({
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
              ...told,
            },
          },
          asked: {
            on: {
              ...chosen,
              acquire: { target: '#wanted', actions: 'enqueueSelf' }, // AG1
              request: { actions: 'enqueue' }, // AG2
              token: { target: 'settling', actions: ['takeToken', 'turnEdges'] }, // AG4, AG6
              ...told,
            },
          },
          settling: {
            tags: 'token',
            always: [
              { guard: and(['allTold', 'oneWaits']), target: 'away', actions: 'passToken' }, // AG4
              { guard: 'allTold', target: 'asked', actions: ['passToken', 'ask'] }, // AG4
            ],
            on: {
              ...(neighbours === 'answer' && { acquire: { target: '#wanted.settling', actions: 'enqueueSelf' } }), // AG1
              ...awaiting,
              ...answered,
            },
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: 'enter' }, // AG1
              request: { target: 'settling', actions: 'enqueue' }, // AG3
              ...answered,
              ...late,
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
              ...chosen,
              request: { actions: 'enqueue' }, // AG2
              token: [
                { guard: 'ownTurn', target: '#held', actions: ['takeToken', 'turnEdges', 'enter'] }, // AG5, AG6
                { target: 'settling', actions: ['takeToken', 'turnEdges'] }, // AG4, AG6
              ],
              ...told,
            },
          },
          settling: {
            tags: 'token',
            always: { guard: 'allTold', target: 'asked', actions: ['passToken', 'ask'] }, // AG4
            on: {
              ...awaiting,
              ...answered,
            },
          },
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          request: { actions: 'enqueue' }, // AG2
          ...answered,
          ...late,
          release: [
            { guard: 'nobodyWaits', target: 'released.here' }, // AG5
            { target: 'released.settling' }, // AG5
          ],
        },
      },
    },
  });
  return chooses ? machine.provide({ actions: { ask: letChoose } }) : machine;
};
