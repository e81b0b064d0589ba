/** Ricart–Agrawala (CACM 24:1, 1981) with a conflict relation. 2(n−1) messages per entry; reliable channels, any order. Rules IR1–IR5: README.md */
import { type Effect, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import {
  allReplied,
  crossOff,
  defer,
  type Input,
  oursIsOlder,
  type Permissions,
  reply,
  replyDeferred,
  stamp,
  witness,
} from '../building-blocks/permissions.js';
import { states } from '../ricart-agrawala/ricart-agrawala.js';
import { type ConflictRelation, type Interval, overlap } from './interval.js';

export type Command = { readonly type: 'acquire'; readonly interval: Interval } | { readonly type: 'release' };

/** REQUEST carries the requester's clock as it stamped its wish, and what it wishes; REPLY is the permission to have it. */
export type Message = { readonly type: 'request'; readonly ts: number; readonly interval: Interval } | { readonly type: 'reply' };

interface Context extends Permissions {
  /** What this node wants or holds, or had last. */
  readonly interval: Interval;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const stampInterval = node.assign(({ context, event }) => {
  assertEvent(event, 'acquire');
  return { ...stamp({ context, event }), interval: event.interval };
});

const requestInterval = node.enqueueActions(({ context, enqueue }) => {
  const { requestedAt: ts, interval } = context;
  for (const peer of context.peers) enqueue.emit(send(peer, { type: 'request', ts, interval }));
});

/** Whether the claim that is asked for may be held beside the own one. */
export const compatibleUnder =
  (conflicts: ConflictRelation) =>
  ({ context, event }: { readonly context: Context; readonly event: Event }): boolean => {
    assertEvent(event, 'request');
    return !conflicts(context.interval, event.interval);
  };

const { released, wanted, held } = states;
/** The line that is A15's own; where any two conflict, it is never taken, and what is left is Ricart–Agrawala. */
const aside = { guard: 'compatible', actions: ['witness', 'reply'] } as const;

export const machine = node
  .extend({
    actions: {
      stamp: stampInterval,
      witness: node.assign(witness),
      requestAll: requestInterval,
      reply: node.emit(reply),
      defer: node.assign(defer),
      crossOff: node.assign(crossOff),
      replyDeferred: node.enqueueActions(replyDeferred),
    },
    guards: { compatible: compatibleUnder(overlap), allReplied, oursIsOlder },
  })
  .createMachine({
    id: 'interval-reservation',
    context: ({ input }) => ({ ...input, clock: 0, requestedAt: 0, interval: { from: 0, to: 0 }, awaiting: [], deferred: [] }),
    initial: 'released',
    states: {
      released, // IR1, IR2
      wanted: { ...wanted, on: { ...wanted.on, request: [aside, ...wanted.on.request] } }, // IR2, IR3, IR4
      held: { ...held, on: { ...held.on, request: [aside, held.on.request] } }, // IR2, IR3, IR5
    },
  });
