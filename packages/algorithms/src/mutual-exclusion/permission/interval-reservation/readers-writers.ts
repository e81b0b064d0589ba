/**
 * Readers and writers by Ricart–Agrawala (CACM 24:1, 1981) with a conflict relation: shared
 * entries do not conflict with each other. Rules IR1–IR6: README.md
 */
import { type Effect, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { extend } from '../../../composition/extended.js';
import type { CancellableCommand } from '../../cancel.js';
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
import { reservation } from './interval-reservation.js';

/** `acquire` requests an exclusive entry, `share` one beside others that share. */
export type SharingCommand = CancellableCommand | { readonly type: 'share' };

/** REQUEST carries its time stamp, and whether it is for a shared entry. */
export type SharingMessage =
  | { readonly type: 'request'; readonly ts: number; readonly shared: boolean }
  | { readonly type: 'reply' };

interface Context extends Permissions {
  /** Whether the entry is shared that this node requests or has, or had last. */
  readonly shared: boolean;
}

type Event = SharingCommand | Received<SharingMessage>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<SharingMessage> },
});

const stampFor = (shared: boolean) =>
  node.assign(({ context, event }) => ({ ...stamp({ context, event }), shared }));

const requestAll = node.enqueueActions(({ context, enqueue }) => {
  const { requestedAt: ts, shared } = context;
  for (const peer of context.peers) enqueue.emit(send(peer, { type: 'request', ts, shared }));
});

const sharer = node.extend({
  actions: {
    stamp: stampFor(false),
    stampShared: stampFor(true),
    witness: node.assign(witness),
    requestAll,
    reply: node.emit(reply),
    defer: node.assign(defer),
    crossOff: node.assign(crossOff),
    replyDeferred: node.enqueueActions(replyDeferred),
  },
  guards: {
    compatible: ({ context, event }) => {
      assertEvent(event, 'request');
      return context.shared && event.shared;
    },
    allReplied,
    oursIsOlder,
  },
});

const exclusive = sharer.createMachine({
  id: 'exclusive-reservation',
  context: ({ input }) => ({
    ...input,
    clock: 0,
    requestedAt: 0,
    shared: false,
    awaiting: [],
    deferred: [],
  }),
  ...reservation,
});

export const sharingMachine = extend('readers-writers', exclusive, {
  released: sharer.createStateConfig({
    on: { share: { target: 'wanted', actions: ['stampShared', 'requestAll'], description: 'IR6' } },
  }),
  // replies to a withdrawn request do not count for the next one
  wanted: sharer.createStateConfig({
    on: { cancel: { target: 'withdrawn', actions: 'replyDeferred', description: 'IR7' } },
  }),
  withdrawn: sharer.createStateConfig({
    tags: 'withdrawing',
    always: { guard: 'allReplied', target: 'released', description: 'IR7' },
    on: {
      request: { actions: ['witness', 'reply'], description: 'IR2' },
      reply: { actions: 'crossOff', description: 'IR7' },
    },
  }),
});
