/**
 * Mutual exclusion by a token that is sought by broadcast (Ricart and Agrawala, CACM 26:2, 1983).
 * n messages per entry, or none where the token is; reliable channels, any order. Rules T1–T5: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { type Counts, countOf, noted, unserved } from '../building-blocks/token-knowledge.js';
import type { Command } from '../mutual-exclusion.js';

/** REQUEST carries the number of the requester's wish; TOKEN, for each node, the number of the wish it has entered with last. */
export type Message = { readonly type: 'request'; readonly k: number } | { readonly type: 'token'; readonly served: Counts };

export interface Input {
  readonly self: NodeId;
  /** The other nodes, going around from behind this one. */
  readonly peers: readonly NodeId[];
  /** The latest wish of each node, its own included, as far as it has been heard of. */
  readonly wished: Counts;
  /** What the token says, while it is here; otherwise null. */
  readonly served: Counts | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Input; events: Event; emitted: Effect<Message> },
});

/** Who gets the token next: the first, going around, who has wished and not been served. */
const nextOf = ({ peers, wished, served }: Input): NodeId | undefined => unserved(peers, wished, served ?? {})[0];

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
  return { served: event.served };
});

const countEntry = node.assign(({ context: { self, wished, served } }) => ({
  served: noted(served ?? {}, self, countOf(wished, self)),
}));

const passToken = node.enqueueActions(({ context, enqueue }) => {
  const next = nextOf(context);
  if (next === undefined || !context.served) return;
  enqueue.emit(send(next, { type: 'token', served: context.served }));
  enqueue.assign({ served: null });
});

export const machine = node
  .extend({
    actions: { countWish, requestAll, note, takeToken, countEntry, passToken },
    guards: {
      tokenIsHere: ({ context }) => context.served !== null,
      somebodyWaits: ({ context }) => nextOf(context) !== undefined,
      isUnserved: ({ context, event }) => {
        assertEvent(event, 'request');
        return event.k > countOf(context.served ?? {}, event.from);
      },
    },
  })
  .createMachine({
    id: 'ricart-agrawala-83',
    context: ({ input }) => ({ ...input }),
    initial: 'released',
    states: {
      released: {
        initial: 'away',
        states: {
          away: {
            always: { guard: 'tokenIsHere', target: 'here' },
            on: {
              acquire: { target: '#wanted', actions: ['countWish', 'requestAll'] }, // T1
              request: { actions: 'note' }, // T2
            },
          },
          here: {
            tags: 'token',
            on: {
              acquire: { target: '#held', actions: ['countWish', 'countEntry'] }, // T1
              request: [
                { guard: 'isUnserved', target: 'away', actions: ['note', 'passToken'] }, // T3
                { actions: 'note' }, // T2
              ],
            },
          },
        },
      },
      wanted: {
        id: 'wanted',
        tags: 'waiting',
        on: {
          request: { actions: 'note' }, // T2
          token: { target: 'held', actions: ['takeToken', 'countEntry'] }, // T4
        },
      },
      held: {
        id: 'held',
        tags: ['critical', 'token'],
        on: {
          request: { actions: 'note' }, // T2
          release: [
            { guard: 'somebodyWaits', target: 'released.away', actions: 'passToken' }, // T5
            { target: 'released.here' }, // T5
          ],
        },
      },
    },
  });
