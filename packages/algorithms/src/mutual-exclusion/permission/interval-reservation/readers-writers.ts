/**
 * Readers and writers by Ricart–Agrawala (CACM 24:1, 1981) with a conflict relation: shared
 * entries do not conflict with each other. Rules IR1–IR7: README.md
 */
import {
  always,
  type Effect,
  everyStep,
  type NodeView,
  type Property,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { isCommanded, receiversIn, stepsOf } from '../../../steps.js';
import type { CancellableCommand } from '../../cancel.js';
import { propertiesWith } from '../../mutual-exclusion.js';
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
import { reservation, waitingIsLarger } from './interval-reservation.js';

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

// Properties of readers and writers.

const { receivedIn } = stepsOf<SharingMessage>();

const shares = ({ context }: NodeView): boolean => context.shared === true;

const writesAlone = always(
  'a node with an exclusive entry is alone in the critical section',
  (system) => {
    const inside = system.tagged('critical');
    return inside.length <= 1 || inside.every(shares);
  },
);

const repliesAtOnce = everyStep(
  'a node that shares, or wants to, replies at once to the request of another one that does',
  (step) => {
    const request = receivedIn(step, 'request');
    if (!request?.shared || !shares(step.before)) return true;
    return receiversIn(step, 'reply').includes(request.from);
  },
);

const isAsAsked = everyStep('an entry is shared exactly if its node asked for that', (step) => {
  if (isCommanded('share', step)) return shares(step.after);
  if (isCommanded('acquire', step)) return !shares(step.after);
  return shares(step.after) === shares(step.before);
});

export const sharingRules: readonly Property[] = [
  ...propertiesWith(writesAlone),
  waitingIsLarger((one, other) => !shares(one) || !shares(other)),
  repliesAtOnce,
  isAsAsked,
];
