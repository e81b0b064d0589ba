/**
 * Mutual exclusion on a directed tree (van de Snepscheut, Inf. Proc. Lett. 24, 1987; Raymond, ACM
 * TOCS 7:1, 1989). O(log n) messages per entry at light load on a k-ary tree, up to about 4 at
 * heavy load; reliable channels, any order. Rules RY1–RY6, RY7 and RY8 for `cancel`,
 * GR1–GR3 for `greedy`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { type AnyStateMachine, assertEvent, not, setup } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { cancel, flag, type OptionSchemas } from '../../../options.js';
import type { CancellableCommand } from '../../cancel.js';
import {
  type Options as GreedyOptions,
  greedyOptions,
  inBunches,
} from '../building-blocks/greedy.js';

export type Options = GreedyOptions & {
  /** A token and the request that follows it are one message. Default false. */
  readonly piggyback?: boolean;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const raymondOptions: OptionSchemas<Options> = {
  piggyback: flag('token and following request in one message'),
  ...greedyOptions,
  cancel,
};

/**
 * TOKEN carries the number of entries so far. TOKEN-AND-REQUEST, with the option `piggyback`, is a
 * TOKEN and the REQUEST that follows it.
 */
export type Message =
  | { readonly type: 'request' }
  | { readonly type: 'token'; readonly entries: number }
  | { readonly type: 'token-and-request'; readonly entries: number };

interface Input {
  readonly self: NodeId;
  /** HOLDER of the paper: the next hop towards the token, or `self`. */
  readonly holder: NodeId;
  /** The number of times in a row that this node may enter before its turn. */
  readonly greedy: number;
}

interface Context extends Input {
  /**
   * REQUEST_Q: the neighbours, and perhaps `self`, that want the token, in the order of their
   * requests.
   */
  readonly queue: readonly NodeId[];
  /** The number of times that this node has entered before its turn since its last turn. */
  readonly favours: number;
  /** While the node has the token, the number of entries so far. */
  readonly entries: number;
}

export type Event = CancellableCommand | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const enqueueSelf = node.assign(({ context }) => ({ queue: [...context.queue, context.self] }));

const dequeueSelf = node.assign(({ context }) => ({
  queue: context.queue.filter((id) => id !== context.self),
}));

const enqueue = node.assign(({ context, event }) => {
  assertEvent(event, ['request', 'token-and-request']);
  return { queue: [...context.queue, event.from] };
});

const request = node.emit(({ context }) => send(context.holder, { type: 'request' }));

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

const pointToFirst = node.assign(({ context }) => ({
  holder: context.queue[0] ?? context.self,
  queue: context.queue.slice(1),
}));

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

const raymond = node.extend({
  actions: {
    enqueueSelf,
    dequeueSelf,
    enqueue,
    request,
    takeToken,
    leaveQueue,
    countEntry,
    pointToFirst,
    passToken,
    passTokenAndAsk,
  },
  guards: {
    tokenIsHere: ({ context }) => context.holder === context.self,
    noneWaits: ({ context }) => context.queue.length === 0,
    oneWaits: ({ context }) => context.queue.length === 1,
    ownTurn: ({ context }) => context.queue[0] === context.self || context.favours < context.greedy,
  },
});

const away = raymond.createStateConfig({
  always: { guard: 'tokenIsHere', target: 'here' },
  on: {
    acquire: { target: '#wanted', actions: ['enqueueSelf', 'request'], description: 'RY1' },
    request: { target: 'asked', actions: ['enqueue', 'request'], description: 'RY2' },
  },
});

const asked = raymond.createStateConfig({
  on: {
    acquire: { target: '#wanted', actions: 'enqueueSelf', description: 'RY1' },
    request: { actions: 'enqueue', description: 'RY2' },
    token: [
      {
        guard: 'oneWaits',
        target: 'away',
        actions: ['takeToken', 'pointToFirst', 'passToken'],
        description: 'RY4',
      },
      { actions: ['takeToken', 'pointToFirst', 'passTokenAndAsk'], description: 'RY4' },
    ],
  },
});

const here = raymond.createStateConfig({
  tags: 'token',
  on: {
    acquire: { target: '#held', actions: 'countEntry', description: 'RY1' },
    request: {
      target: 'away',
      actions: ['enqueue', 'pointToFirst', 'passToken'],
      description: 'RY3',
    },
  },
});

const wanted = raymond.createStateConfig({
  id: 'wanted',
  tags: 'waiting',
  on: {
    request: { actions: 'enqueue', description: 'RY2' },
    token: [
      {
        guard: 'ownTurn',
        target: 'held',
        actions: ['takeToken', 'leaveQueue', 'countEntry'],
        description: 'RY5',
      },
      { actions: ['takeToken', 'pointToFirst', 'passTokenAndAsk'], description: 'RY4' },
    ],
  },
});

const held = raymond.createStateConfig({
  id: 'held',
  tags: ['critical', 'token'],
  on: {
    request: { actions: 'enqueue', description: 'RY2' },
    release: [
      { guard: 'noneWaits', target: 'released.here', description: 'RY6' },
      {
        guard: 'oneWaits',
        target: 'released.away',
        actions: ['pointToFirst', 'passToken'],
        description: 'RY6',
      },
      {
        target: 'released.asked',
        actions: ['pointToFirst', 'passTokenAndAsk'],
        description: 'RY6',
      },
    ],
  },
});

/** The option `piggyback`: a token and the request that follows it are one message. */
const askedForBoth = raymond.createStateConfig({
  on: {
    ...asked.on,
    'token-and-request': {
      actions: ['takeToken', 'enqueue', 'pointToFirst', 'passTokenAndAsk'],
      description: 'RY4',
    },
  },
});

const wantedBoth = raymond.createStateConfig({
  ...wanted,
  on: {
    ...wanted.on,
    'token-and-request': [
      {
        guard: 'ownTurn',
        target: 'held',
        actions: ['takeToken', 'leaveQueue', 'countEntry', 'enqueue'],
        description: 'RY5',
      },
      { actions: ['takeToken', 'enqueue', 'pointToFirst', 'passTokenAndAsk'], description: 'RY4' },
    ],
  },
});

const machineWith = (own: {
  readonly asked: typeof asked | typeof askedForBoth;
  readonly wanted: typeof wanted | typeof wantedBoth;
}) =>
  raymond.createMachine({
    id: 'raymond',
    context: ({ input }) => ({ ...input, queue: [], favours: 0, entries: 0 }),
    initial: 'released',
    states: {
      released: { initial: 'away', states: { away, asked: own.asked, here } },
      wanted: own.wanted,
      held,
    },
  });

export const machine = machineWith({ asked, wanted });

export const piggybackMachine = machineWith({ asked: askedForBoth, wanted: wantedBoth }).provide({
  actions: { passTokenAndAsk: passBothInOne },
});

/** With `cancel` the token may come where no node waits. */
const wantedByNone = raymond.createStateConfig({
  on: {
    token: {
      guard: 'noneWaits',
      target: 'here',
      actions: ['takeToken', 'pointToFirst'],
      description: 'RY8',
    },
  },
});

const wantedBySender = raymond.createStateConfig({
  on: {
    ...wantedByNone.on,
    'token-and-request': {
      guard: 'noneWaits',
      target: 'away',
      actions: ['takeToken', 'enqueue', 'pointToFirst', 'passToken'],
      description: 'RY8',
    },
  },
});

const unlessCancelled = raymond.createStateConfig({
  on: { cancel: { target: 'released.asked', actions: 'dequeueSelf', description: 'RY7' } },
});

/** The machine with `cancel`. */
export const cancellableMachine = extend('cancellable-raymond', machine, {
  released: { states: { asked: wantedByNone } },
  wanted: unlessCancelled,
});

export const cancellablePiggybackMachine = extend('cancellable-raymond', piggybackMachine, {
  released: { states: { asked: wantedBySender } },
  wanted: unlessCancelled,
});

/**
 * The machine with `greedy`, of one of these. A node enters before its turn, too, when the token
 * passes through it, so that its row of such entries goes on from visit to visit.
 */
export const greedyMachine = (of: AnyStateMachine): AnyStateMachine =>
  inBunches(of, { othersWait: not('noneWaits'), rowEnds: 'waits' });
