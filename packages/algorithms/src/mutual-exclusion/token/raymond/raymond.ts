/**
 * Mutual exclusion on a directed tree (van de Snepscheut, Inf. Proc. Lett. 24, 1987; Raymond, ACM TOCS 7:1, 1989).
 * O(log n) messages per entry at light load on a k-ary tree, up to about 4 at heavy load; reliable channels, any order. Rules R1–R6: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';

/** TOKEN carries how many entries there have been. TOKEN-AND-REQUEST, with the option `piggyback`, is it and the REQUEST that would follow it. */
export type Message =
  | { readonly type: 'request' }
  | { readonly type: 'token'; readonly entries: number }
  | { readonly type: 'token-and-request'; readonly entries: number };

export interface Input {
  readonly self: NodeId;
  /** The neighbour on the way to the token, or `self`: HOLDER of the paper. */
  readonly holder: NodeId;
  /** How often in a row this node may enter before its turn. */
  readonly greedy: number;
}

interface Context extends Input {
  /** REQ_QUEUE: the neighbours, and perhaps `self`, that want the token, in the order in which they asked. */
  readonly queue: readonly NodeId[];
  /** How often this node has entered before its turn since it last waited for it. */
  readonly favours: number;
  /** While the token is here, how many entries there have been. */
  readonly entries: number;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const enqueueSelf = node.assign(({ context }) => ({ queue: [...context.queue, context.self] }));

const enqueue = node.assign(({ context, event }) => {
  assertEvent(event, ['request', 'token-and-request']);
  return { queue: [...context.queue, event.from] };
});

const ask = node.emit(({ context }) => send(context.holder, { type: 'request' }));

const takeToken = node.assign(({ event }) => {
  assertEvent(event, ['token', 'token-and-request']);
  return { entries: event.entries };
});

const countEntry = node.assign(({ context }) => ({ entries: context.entries + 1 }));

const leaveQueue = node.assign(({ context }) => ({
  holder: context.self,
  favours: context.queue[0] === context.self ? 0 : context.favours + 1,
  queue: context.queue.filter((id) => id !== context.self),
}));

const pointToFirst = node.assign(({ context }) => ({ holder: context.queue[0] ?? context.self, queue: context.queue.slice(1) }));

const passToken = node.enqueueActions(({ context: { holder, entries }, enqueue }) => {
  enqueue.emit(send(holder, { type: 'token', entries }));
  enqueue.assign({ entries: 0 });
});

const passTokenAndAsk = node.enqueueActions(({ context: { holder, entries }, enqueue }) => {
  enqueue.emit(send(holder, { type: 'token', entries }));
  enqueue.emit(send(holder, { type: 'request' }));
  enqueue.assign({ entries: 0 });
});

/** The option `piggyback`: token and following request in one message. */
const passBothInOne = node.enqueueActions(({ context: { holder, entries }, enqueue }) => {
  enqueue.emit(send(holder, { type: 'token-and-request', entries }));
  enqueue.assign({ entries: 0 });
});

const member = node.extend({
  actions: { enqueueSelf, enqueue, ask, takeToken, leaveQueue, countEntry, pointToFirst, passToken, passTokenAndAsk },
  guards: {
    tokenIsHere: ({ context }) => context.holder === context.self,
    nobodyWaits: ({ context }) => context.queue.length === 0,
    oneWaits: ({ context }) => context.queue.length === 1,
    ownTurn: ({ context }) => context.queue[0] === context.self || context.favours < context.greedy,
  },
});

/** What comes only with `piggyback`. */
const takeBoth = { actions: ['takeToken', 'enqueue', 'pointToFirst', 'passTokenAndAsk'] } as const; // R4
const enterWithBoth = { guard: 'ownTurn', target: 'held', actions: ['takeToken', 'leaveQueue', 'countEntry', 'enqueue'] } as const; // R5

const chart = (piggyback: boolean) =>
  member.createMachine({
    id: 'raymond',
    context: ({ input }) => ({ ...input, queue: [], favours: 0, entries: 0 }),
    initial: 'released',
    states: {
      released: {
        initial: 'away',
        states: {
          away: {
            always: { guard: 'tokenIsHere', target: 'here' },
            on: {
              acquire: { target: '#wanted', actions: ['enqueueSelf', 'ask'] }, // R1
              request: { target: 'asked', actions: ['enqueue', 'ask'] }, // R2
            },
          },
          asked: {
            on: {
              acquire: { target: '#wanted', actions: 'enqueueSelf' }, // R1
              request: { actions: 'enqueue' }, // R2
              token: [
                { guard: 'oneWaits', target: 'away', actions: ['takeToken', 'pointToFirst', 'passToken'] }, // R4
                { actions: ['takeToken', 'pointToFirst', 'passTokenAndAsk'] }, // R4
              ],
              ...(piggyback && { 'token-and-request': takeBoth }),
            },
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: 'countEntry' }, // R1
              request: { target: 'away', actions: ['enqueue', 'pointToFirst', 'passToken'] }, // R3
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        on: {
          request: { actions: 'enqueue' }, // R2
          token: [
            { guard: 'ownTurn', target: 'held', actions: ['takeToken', 'leaveQueue', 'countEntry'] }, // R5
            { actions: ['takeToken', 'pointToFirst', 'passTokenAndAsk'] }, // R4
          ],
          ...(piggyback && { 'token-and-request': [enterWithBoth, takeBoth] }),
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          request: { actions: 'enqueue' }, // R2
          release: [
            { guard: 'nobodyWaits', target: 'released.here' }, // R6
            { guard: 'oneWaits', target: 'released.away', actions: ['pointToFirst', 'passToken'] }, // R6
            { target: 'released.asked', actions: ['pointToFirst', 'passTokenAndAsk'] }, // R6
          ],
        },
      },
    },
  });

export const machine = chart(false);
export const piggybackMachine = chart(true).provide({ actions: { passTokenAndAsk: passBothInOne } });
