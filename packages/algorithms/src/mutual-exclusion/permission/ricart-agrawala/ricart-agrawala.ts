/**
 * Ricart–Agrawala mutual exclusion (CACM 24:1, 1981). 2(n−1) messages per entry; reliable channels, any order.
 * Rules RA1–RA5, and RA6–RA9 for `acknowledged`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../../mutual-exclusion.js';
import {
  allReplied,
  crossOff,
  defer,
  type Input,
  type OwnRequest,
  oursIsOlder,
  type Permissions,
  reply,
  replyDeferred,
  stamp,
  witness,
} from '../building-blocks/permissions.js';
import type { Request } from '../building-blocks/requests.js';

/** REQUEST carries the requester's clock as it stamped its wish; REPLY is the permission to enter. */
export type Message = { readonly type: 'request'; readonly ts: number } | { readonly type: 'reply' };

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Permissions; events: Event; emitted: Effect<Message> },
});

const requestAll = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.peers) enqueue.emit(send(peer, { type: 'request', ts: context.requestedAt }));
});

/** The states of the paper. Those of A15 are the same, and a line more in two of them. */
export const states = {
  released: {
    on: {
      acquire: { target: 'wanted', actions: ['stamp', 'requestAll'] }, // RA1
      request: { actions: ['witness', 'reply'] }, // RA2
    },
  },
  wanted: {
    tags: 'waiting',
    always: { guard: 'allReplied', target: 'held' }, // RA4
    on: {
      request: [
        { guard: 'oursIsOlder', actions: ['witness', 'defer'] }, // RA3
        { actions: ['witness', 'reply'] }, // RA2
      ],
      reply: { actions: 'crossOff' },
    },
  },
  held: {
    tags: 'critical',
    on: {
      request: { actions: ['witness', 'defer'] }, // RA3
      release: { target: 'released', actions: 'replyDeferred' }, // RA5
    },
  },
} as const;

export const machine = node
  .extend({
    actions: {
      stamp: node.assign(stamp),
      witness: node.assign(witness),
      requestAll,
      reply: node.emit(reply),
      defer: node.assign(defer),
      crossOff: node.assign(crossOff),
      replyDeferred: node.enqueueActions(replyDeferred),
    },
    guards: { allReplied, oursIsOlder },
  })
  .createMachine({
    id: 'ricart-agrawala',
    context: ({ input }) => ({ ...input, clock: 0, requestedAt: 0, awaiting: [], deferred: [] }),
    initial: 'released',
    states,
  });

/** With `acknowledged`: ACK says that a request has come; INQUIRE asks whether the node is still there. All but REQUEST carry its stamp. */
export type AcknowledgedMessage = { readonly type: 'request' | 'ack' | 'reply' | 'inquire'; readonly ts: number };

/** With `acknowledged`: how long, in milliseconds, a node may take to answer, and to be asked again. */
export interface AcknowledgedInput extends Input {
  readonly patience: number;
}

interface AcknowledgedContext extends OwnRequest, AcknowledgedInput {
  /** Those of `awaiting` that have not answered since they were asked last. */
  readonly silent: readonly NodeId[];
  readonly deferred: readonly Request[];
}

export type AcknowledgedEvent = Command | Received<AcknowledgedMessage>;

interface Given {
  readonly context: AcknowledgedContext;
  readonly event: AcknowledgedEvent;
}

const patientNode = setup({
  types: {} as { input: AcknowledgedInput; context: AcknowledgedContext; events: AcknowledgedEvent; emitted: Effect<AcknowledgedMessage> },
});

/** Asks whose permission is missing. */
const ask = (type: 'request' | 'inquire') =>
  patientNode.enqueueActions(({ context, enqueue }) => {
    for (const peer of context.awaiting) enqueue.emit(send(peer, { type, ts: context.requestedAt }));
    enqueue.assign({ silent: context.awaiting });
  });

const answer = (type: 'ack' | 'reply') =>
  patientNode.emit(({ event }) => {
    assertEvent(event, ['request', 'inquire']);
    return send(event.from, { type, ts: event.ts });
  });

const giveUpSilent = patientNode.assign(({ context }) => ({
  awaiting: context.awaiting.filter((peer) => !context.silent.includes(peer)),
}));

const hear = patientNode.assign(({ context, event }) => {
  assertEvent(event, ['ack', 'reply']);
  return { silent: context.silent.filter((peer) => peer !== event.from) };
});

const deferRequest = patientNode.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { deferred: [...context.deferred, { ts: event.ts, id: event.from }] };
});

const replyAllDeferred = patientNode.enqueueActions(({ context, enqueue }) => {
  for (const { ts, id } of context.deferred) enqueue.emit(send(id, { type: 'reply', ts }));
  enqueue.assign({ deferred: [] });
});

const answersOurs = ({ context, event }: Given): boolean => {
  assertEvent(event, ['ack', 'reply']);
  return event.ts === context.requestedAt;
};

const isDeferred = ({ context, event }: Given): boolean => {
  assertEvent(event, 'inquire');
  return context.deferred.some(({ ts, id }) => ts === event.ts && id === event.from);
};

/** The machine with `acknowledged`. */
export const acknowledgedMachine = patientNode
  .extend({
    actions: {
      stamp: patientNode.assign(stamp),
      witness: patientNode.assign(witness),
      requestAll: ask('request'),
      inquireAll: ask('inquire'),
      acknowledge: answer('ack'),
      reply: answer('reply'),
      defer: deferRequest,
      giveUpSilent,
      hear,
      crossOff: patientNode.assign(crossOff),
      replyDeferred: replyAllDeferred,
    },
    guards: { allReplied, oursIsOlder, answersOurs, isDeferred },
    delays: { patience: ({ context }) => context.patience },
  })
  .createMachine({
    id: 'acknowledged-node',
    context: ({ input }) => ({ ...input, clock: 0, requestedAt: 0, awaiting: [], silent: [], deferred: [] }),
    initial: 'released',
    states: {
      released: {
        on: {
          acquire: { target: 'wanted', actions: ['stamp', 'requestAll'] }, // RA1
          request: { actions: ['witness', 'acknowledge', 'reply'] }, // RA6, RA2
          inquire: {}, // RA8: the reply is on its way
          ack: {}, // RA9
          reply: {}, // RA9
        },
      },
      wanted: {
        tags: 'waiting',
        always: { guard: 'allReplied', target: 'held' }, // RA4
        on: {
          request: [
            { guard: 'oursIsOlder', actions: ['witness', 'acknowledge', 'defer'] }, // RA6, RA3
            { actions: ['witness', 'acknowledge', 'reply'] }, // RA6, RA2
          ],
          inquire: [
            { guard: 'isDeferred', actions: 'acknowledge' }, // RA8
            {}, // RA8: the reply is on its way
          ],
          ack: [
            { guard: 'answersOurs', actions: 'hear' }, // RA7
            {}, // RA9
          ],
          reply: [
            { guard: 'answersOurs', actions: ['hear', 'crossOff'] }, // RA7
            {}, // RA9
          ],
        },
        after: { patience: { target: 'wanted', reenter: true, actions: ['giveUpSilent', 'inquireAll'] } }, // RA7, RA8
      },
      held: {
        tags: 'critical',
        on: {
          request: { actions: ['witness', 'acknowledge', 'defer'] }, // RA6, RA3
          inquire: [
            { guard: 'isDeferred', actions: 'acknowledge' }, // RA8
            {}, // RA8: the reply is on its way
          ],
          ack: {}, // RA9
          reply: {}, // RA9
          release: { target: 'released', actions: 'replyDeferred' }, // RA5
        },
      },
    },
  });
