/**
 * Ricart–Agrawala mutual exclusion (CACM 24:1, 1981). 2(n−1) messages per entry; reliable channels,
 * any order. Rules RA1–RA5, RA6–RA9 for `acknowledged`, RA10 and RA11 for `cancel`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { cancel, type OptionSchemas, time } from '../../../options.js';
import type { CancellableCommand } from '../../cancel.js';
import {
  allReplied,
  crossOff,
  defer,
  type Input,
  type OwnRequest,
  oursIsOlder,
  type Permissions,
  type Request,
  reply,
  replyDeferred,
  stamp,
  witness,
} from '../building-blocks/permissions.js';

export type Options = {
  /**
   * How long a node may take to acknowledge a request, in milliseconds; more than the longest round
   * trip; in real time at least 10. Default 1000.
   */
  readonly timeout?: number;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const acknowledgedOptions: OptionSchemas<Options> = {
  timeout: time('with acknowledged: how long an answer may take'),
  cancel,
};

/** REQUEST carries its time stamp; REPLY is the permission to enter. */
export type Message =
  | { readonly type: 'request'; readonly ts: number }
  | { readonly type: 'reply' };

export type Event = CancellableCommand | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Permissions; events: Event; emitted: Effect<Message> },
});

const requestAll = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.peers)
    enqueue.emit(send(peer, { type: 'request', ts: context.requestedAt }));
});

const requester = node.extend({
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
});

export const machine = requester.createMachine({
  id: 'ricart-agrawala',
  context: ({ input }) => ({ ...input, clock: 0, requestedAt: 0, awaiting: [], deferred: [] }),
  initial: 'released',
  states: {
    released: {
      on: {
        acquire: { target: 'wanted', actions: ['stamp', 'requestAll'], description: 'RA1' },
        request: { actions: ['witness', 'reply'], description: 'RA2' },
      },
    },
    wanted: {
      tags: 'waiting',
      always: { guard: 'allReplied', target: 'held', description: 'RA4' },
      on: {
        request: [
          { guard: 'oursIsOlder', actions: ['witness', 'defer'], description: 'RA3' },
          { actions: ['witness', 'reply'], description: 'RA2' },
        ],
        reply: { actions: 'crossOff', description: 'RA4' },
      },
    },
    held: {
      tags: 'critical',
      on: {
        request: { actions: ['witness', 'defer'], description: 'RA3' },
        release: { target: 'released', actions: 'replyDeferred', description: 'RA5' },
      },
    },
  },
});

/**
 * The machine with `cancel`. A node waits for the replies to a request that it has withdrawn, so
 * that they do not count for the next one.
 */
export const cancellableMachine = extend('cancellable-node', machine, {
  wanted: requester.createStateConfig({
    on: { cancel: { target: 'withdrawn', actions: 'replyDeferred', description: 'RA10' } },
  }),
  withdrawn: requester.createStateConfig({
    tags: 'withdrawing',
    always: { guard: 'allReplied', target: 'released', description: 'RA11' },
    on: {
      request: { actions: ['witness', 'reply'], description: 'RA2' },
      reply: { actions: 'crossOff', description: 'RA11' },
    },
  }),
});

/**
 * With `acknowledged`: ACK confirms a request; INQUIRE asks whether the node is alive. ACK, REPLY
 * and INQUIRE carry the request's time stamp.
 */
export type AcknowledgedMessage = {
  readonly type: 'request' | 'ack' | 'reply' | 'inquire';
  readonly ts: number;
};

/**
 * With `acknowledged`: the milliseconds within which a node must answer, and after which it is
 * asked again.
 */
interface AcknowledgedInput extends Input {
  readonly timeout: number;
}

interface AcknowledgedContext extends OwnRequest, AcknowledgedInput {
  /** The nodes in `awaiting` that have not answered since the last request or inquiry. */
  readonly silent: readonly NodeId[];
  readonly deferred: readonly Request[];
}

export type AcknowledgedEvent = CancellableCommand | Received<AcknowledgedMessage>;

interface Given {
  readonly context: AcknowledgedContext;
  readonly event: AcknowledgedEvent;
}

const acknowledgedNode = setup({
  types: {} as {
    input: AcknowledgedInput;
    context: AcknowledgedContext;
    events: AcknowledgedEvent;
    emitted: Effect<AcknowledgedMessage>;
  },
});

/** To each node whose permission is missing. */
const ask = (type: 'request' | 'inquire') =>
  acknowledgedNode.enqueueActions(({ context, enqueue }) => {
    for (const peer of context.awaiting)
      enqueue.emit(send(peer, { type, ts: context.requestedAt }));
    enqueue.assign({ silent: context.awaiting });
  });

const answer = (type: 'ack' | 'reply') =>
  acknowledgedNode.emit(({ event }) => {
    assertEvent(event, ['request', 'inquire']);
    return send(event.from, { type, ts: event.ts });
  });

const giveUpSilent = acknowledgedNode.assign(({ context }) => ({
  awaiting: context.awaiting.filter((peer) => !context.silent.includes(peer)),
}));

const noteAnswer = acknowledgedNode.assign(({ context, event }) => {
  assertEvent(event, ['ack', 'reply']);
  return { silent: context.silent.filter((peer) => peer !== event.from) };
});

const deferRequest = acknowledgedNode.assign(({ context, event }) => {
  assertEvent(event, 'request');
  return { deferred: [...context.deferred, { ts: event.ts, id: event.from }] };
});

const replyAllDeferred = acknowledgedNode.enqueueActions(({ context, enqueue }) => {
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

const acknowledger = acknowledgedNode.extend({
  actions: {
    stamp: acknowledgedNode.assign(stamp),
    witness: acknowledgedNode.assign(witness),
    requestAll: ask('request'),
    inquireAll: ask('inquire'),
    acknowledge: answer('ack'),
    reply: answer('reply'),
    defer: deferRequest,
    giveUpSilent,
    noteAnswer,
    crossOff: acknowledgedNode.assign(crossOff),
    replyDeferred: replyAllDeferred,
  },
  guards: { allReplied, oursIsOlder, answersOurs, isDeferred },
  delays: { timeout: ({ context }) => context.timeout },
});

/** The machine with `acknowledged`. */
export const acknowledgedMachine = acknowledger.createMachine({
  id: 'acknowledged-node',
  context: ({ input }) => ({
    ...input,
    clock: 0,
    requestedAt: 0,
    awaiting: [],
    silent: [],
    deferred: [],
  }),
  initial: 'released',
  states: {
    released: {
      on: {
        acquire: { target: 'wanted', actions: ['stamp', 'requestAll'], description: 'RA1' },
        request: { actions: ['witness', 'acknowledge', 'reply'], description: 'RA6, RA2' },
        inquire: { description: 'RA8: the reply is on its way' },
        ack: { description: 'RA9: answer to an earlier request' },
        reply: { description: 'RA9: answer to an earlier request' },
      },
    },
    wanted: {
      tags: 'waiting',
      always: { guard: 'allReplied', target: 'held', description: 'RA4' },
      on: {
        request: [
          {
            guard: 'oursIsOlder',
            actions: ['witness', 'acknowledge', 'defer'],
            description: 'RA6, RA3',
          },
          { actions: ['witness', 'acknowledge', 'reply'], description: 'RA6, RA2' },
        ],
        inquire: [
          { guard: 'isDeferred', actions: 'acknowledge', description: 'RA8' },
          { description: 'RA8: the reply is on its way' },
        ],
        ack: [
          { guard: 'answersOurs', actions: 'noteAnswer', description: 'RA7' },
          { description: 'RA9: answer to an earlier request' },
        ],
        reply: [
          { guard: 'answersOurs', actions: ['noteAnswer', 'crossOff'], description: 'RA7, RA4' },
          { description: 'RA9: answer to an earlier request' },
        ],
      },
      after: {
        timeout: {
          target: 'wanted',
          reenter: true,
          actions: ['giveUpSilent', 'inquireAll'],
          description: 'RA7, RA8',
        },
      },
    },
    held: {
      tags: 'critical',
      on: {
        request: { actions: ['witness', 'acknowledge', 'defer'], description: 'RA6, RA3' },
        inquire: [
          { guard: 'isDeferred', actions: 'acknowledge', description: 'RA8' },
          { description: 'RA8: the reply is on its way' },
        ],
        ack: { description: 'RA9: answer to an earlier request' },
        reply: { description: 'RA9: answer to an earlier request' },
        release: { target: 'released', actions: 'replyDeferred', description: 'RA5' },
      },
    },
  },
});

/**
 * The machine with `acknowledged` and `cancel`. Replies carry time stamps, so that the next request
 * need not wait.
 */
export const cancellableAcknowledgedMachine = extend(
  'cancellable-acknowledged-node',
  acknowledgedMachine,
  {
    wanted: acknowledger.createStateConfig({
      on: { cancel: { target: 'released', actions: 'replyDeferred', description: 'RA10' } },
    }),
  },
);
