/**
 * Mutual exclusion by a token that carries the queue of those who wait for it (Suzuki and Kasami, ACM TOCS 3:4, 1985).
 * n messages per entry, or none where the token is; reliable channels, any order. Rules SK1–SK5: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { type Counts, countOf, noted, unserved } from '../building-blocks/token-knowledge.js';
import type { Command } from '../mutual-exclusion.js';

/** What travels with the token: LN and Q of the paper. */
interface Token {
  /** For each node, the number of the wish it has entered with last. */
  readonly served: Counts;
  /** Who gets the token next, in this order. */
  readonly queue: readonly NodeId[];
}

/** REQUEST carries the number of the requester's wish. */
export type Message = { readonly type: 'request'; readonly k: number } | ({ readonly type: 'token' } & Token);

export interface Input {
  readonly self: NodeId;
  /** The other nodes, going around from behind this one. */
  readonly peers: readonly NodeId[];
  /** RN of the paper: the latest wish of each node, its own included, as far as it has been heard of. */
  readonly wished: Counts;
  /** While it is here; otherwise null. */
  readonly token: Token | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Input; events: Event; emitted: Effect<Message> },
});

/** The queue, and behind it those who have wished since and do not stand in it. */
const completed = ({ peers, wished }: Input, { served, queue }: Token): readonly NodeId[] => [
  ...queue,
  ...unserved(peers, wished, served).filter((id) => !queue.includes(id)),
];

const countWish = node.assign(({ context: { self, wished } }) => ({ wished: noted(wished, self, countOf(wished, self) + 1) }));

const requestAll = node.enqueueActions(({ context: { self, peers, wished }, enqueue }) => {
  for (const peer of peers) enqueue.emit(send(peer, { type: 'request', k: countOf(wished, self) }));
});

const note = node.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { wished: noted(context.wished, event.from, event.k) };
});

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { token: { served: event.served, queue: event.queue } };
});

const countEntry = node.assign(({ context: { self, wished, token } }) => ({
  token: token && { ...token, served: noted(token.served, self, countOf(wished, self)) },
}));

const enqueueNew = node.assign(({ context }) => ({
  token: context.token && { ...context.token, queue: completed(context, context.token) },
}));

const passToken = node.enqueueActions(({ context: { token }, enqueue }) => {
  const [first, ...queue] = token?.queue ?? [];
  if (first === undefined || !token) return;
  enqueue.emit(send(first, { type: 'token', served: token.served, queue }));
  enqueue.assign({ token: null });
});

export const machine = node
  .extend({
    actions: { countWish, requestAll, note, takeToken, countEntry, enqueueNew, passToken },
    guards: {
      tokenIsHere: ({ context }) => context.token !== null,
      somebodyWaits: ({ context }) => context.token !== null && completed(context, context.token).length > 0,
      isUnserved: ({ context, event }) => {
        assertEvent(event, 'request');
        return event.k > countOf(context.token?.served ?? {}, event.from);
      },
    },
  })
  .createMachine({
    id: 'suzuki-kasami',
    context: ({ input }) => ({ ...input }),
    initial: 'released',
    states: {
      released: {
        initial: 'away',
        states: {
          away: {
            always: { guard: 'tokenIsHere', target: 'here' },
            on: {
              acquire: { target: '#wanted', actions: ['countWish', 'requestAll'] }, // SK1
              request: { actions: 'note' }, // SK2
            },
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: ['countWish', 'countEntry'] }, // SK1
              request: [
                { guard: 'isUnserved', target: 'away', actions: ['note', 'enqueueNew', 'passToken'] }, // SK3
                { actions: 'note' }, // SK2
              ],
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        on: {
          request: { actions: 'note' }, // SK2
          token: { target: 'held', actions: ['takeToken', 'countEntry'] }, // SK4
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          request: { actions: 'note' }, // SK2
          release: [
            { guard: 'somebodyWaits', target: 'released.away', actions: ['enqueueNew', 'passToken'] }, // SK5
            { target: 'released.here' }, // SK5
          ],
        },
      },
    },
  });
