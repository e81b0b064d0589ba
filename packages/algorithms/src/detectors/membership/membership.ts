/**
 * Group membership with views and virtual synchrony (K. P. Birman, T. A. Joseph, SOSP 1987).
 * Complete network, FIFO, a perfect failure detector. Rules GM1–GM14: README.md
 */
import type { Effect } from '@conclave/core/protocol';
import { and, setup } from 'xstate';
import { ofNode } from '../../by-node.js';
import { flag, type OptionSchemas, oneOf, time, whole } from '../../options.js';
import {
  actingCoordinator,
  attemptsPerStart,
  type Context,
  type Event,
  type Input,
  type Message,
  type Notification,
  type Outcome,
  type Present,
} from './member.js';
import * as order from './order.js';
import * as views from './views.js';

// What the states of a member name: actions, each of which does what a function of order.ts or
// views.ts says, and guards.

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<Message | Present, Notification>;
  },
});

interface Given {
  readonly context: Context;
  readonly event: Event;
}

/** An action that does what `outcome` says. */
export const actionOf = (outcome: (context: Context, event: Event) => Outcome) =>
  node.enqueueActions(({ context, event, enqueue }) => {
    const { change, effects = [], raised = [] } = outcome(context, event);
    if (change) enqueue.assign(change);
    for (const effect of effects) enqueue.emit(effect);
    for (const one of raised) enqueue.raise(one);
  });

const viewOf = (event: Event): number => ('view' in event ? event.view : 0);
const senderOf = (event: Event): string => ('from' in event ? event.from : '');

/** Whether no later coordinator than the sender has been answered. */
const isInOrder = ({ context: { coordinator }, event }: Given): boolean =>
  coordinator === null || senderOf(event) >= coordinator;

/**
 * Whether a decision comes from the coordinator that this node has answered, or is of that one or a
 * later one. A view after the next has left this node out.
 */
const isDecidedInOrder = ({ context: { coordinator, number }, event }: Given): boolean =>
  'by' in event &&
  (coordinator === null ||
    event.from === coordinator ||
    event.by >= coordinator ||
    event.number > number + 1);

/** Whether a view comes after the one installed. */
const isAhead = ({ context, event }: Given): boolean =>
  'number' in event && event.number > context.number;

/** What a node knows when it starts. */
export const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  starts: input.starts + 1,
  number: 0,
  members: [],
  admitted: {},
  delivered: {},
  log: [],
  acknowledged: {},
  pending: [],
  queued: [],
  early: [],
  crashes: {},
  down: [],
  joining: {},
  leaving: [],
  coordinator: null,
  awaiting: [],
  newcomers: {},
  decision: null,
});

/** The actions and guards by their names; the states are in membership.ts. */
export const member = node.extend({
  actions: {
    found: actionOf(views.found),
    askToJoin: actionOf(views.askToJoin),
    wantToLeave: actionOf(views.wantToLeave),
    askToLeave: actionOf(views.askToLeave),
    noteJoin: actionOf(views.noteJoin),
    repeatRequest: actionOf(views.repeatRequest),
    noteLeave: actionOf(views.noteLeave),
    noteDown: actionOf(views.noteDown),
    keepEarly: node.assign(({ context, event }) => views.keepEarly(context, event)),
    learn: actionOf(views.learn),
    announce: actionOf(views.announce),
    install: actionOf(views.install),
    depart: actionOf(views.depart),
    multicast: actionOf(order.multicast),
    queue: actionOf(order.queue),
    sendQueued: actionOf(order.sendQueued),
    publishSubmitted: actionOf(order.publishSubmitted),
    deliver: actionOf(order.deliver),
    deliverRest: actionOf(order.deliverRest),
    noteAcknowledgement: actionOf(order.noteAcknowledgement),
    askForSnapshot: actionOf(order.tellWanted),
    askToFlush: actionOf(views.askToFlush),
    answerFlush: actionOf(views.answerFlush),
    tellDecision: actionOf(views.tellDecision),
    tellBehind: actionOf(views.tellBehind),
    turnToNext: actionOf(views.turnToNext),
    decline: actionOf(views.decline),
    collect: actionOf(views.collect),
    bringUp: actionOf(views.bringUp),
    adopt: actionOf(views.adopt),
    decide: actionOf(views.decide),
  },
  guards: {
    isFounder: ({ context: { founders, self, starts } }) => founders.includes(self) && starts === 1,
    isActing: ({ context }) => actingCoordinator(context) === context.self,
    wantsChange: ({ context }) => views.wantsChange(context),
    isCoordinatorDown: ({ context: { coordinator, down } }) =>
      coordinator !== null && down.includes(coordinator),
    isCoordinatorGone: ({ context: { coordinator, down, joining } }) =>
      coordinator !== null && (down.includes(coordinator) || Object.hasOwn(joining, coordinator)),
    isForEarlierStart: ({ context: { self, starts }, event }) =>
      event.type === 'flush' &&
      (ofNode(event.newcomers, self) ?? 0) <= (starts - 1) * attemptsPerStart,
    isUnasked: ({ context: { coordinator } }) => coordinator === null,
    isNewAttempt: ({ context: { joining }, event }) =>
      'attempt' in event && event.attempt > (ofNode(joining, senderOf(event)) ?? 0),
    knowsNextView: ({ context: { decision }, event }) =>
      decision !== null && viewOf(event) < decision.number,
    isOfEarlierView: ({ context, event }) => viewOf(event) < context.number,
    isOfOtherView: ({ context: { number, members }, event }) =>
      viewOf(event) !== number || !members.includes(senderOf(event)),
    isOfLaterView: ({ context, event }) => viewOf(event) > context.number,
    isInOrder,
    isAhead,
    isNextView: (given) => isAhead(given) && isDecidedInOrder(given),
    isFromCoordinator: ({ context, event }) => senderOf(event) === context.coordinator,
    isOfThisAttempt: ({ context: { self, attempt }, event }) =>
      'admitted' in event && ofNode(event.admitted, self) === attempt,
    isInNextView: ({ context, event }) =>
      'members' in event && event.members.includes(context.self),
    staysMember: ({ context }) => context.decision?.members.includes(context.self) === true,
    allAnswered: ({ context }) => context.awaiting.length === 0,
    isAwaited: ({ context, event }) => context.awaiting.includes(senderOf(event)),
    isBehind: ({ context, event }) => viewOf(event) > 0 && viewOf(event) < context.number,
    needsSnapshot: ({ context }) => context.stateTransfer && views.newcomersOf(context).length > 0,
  },
});

/** All that this view has sent here has arrived. */
const laterMessage = { actions: 'keepEarly', description: 'GM12: of the next view' } as const;
/** A message of this view, outside of it. */
const earlyMessage = { guard: 'isOfLaterView', actions: 'keepEarly', description: 'GM12' } as const;
/**
 * No view begins without an answer of each member, so a member that has not answered gets nothing
 * of a later one.
 */
const messageOfOtherView = {
  guard: 'isOfOtherView',
  description: 'GM12: of an earlier view, or of no member',
} as const;
const messageInFlush = {
  description: 'GM6, GM12: it is in the flush, or of an earlier view',
} as const;

/** The next view, from its coordinator or from a member that has it. */
const onNewView = [
  {
    guard: and(['isNextView', 'isInNextView']),
    target: 'open',
    actions: ['learn', 'deliverRest', 'install', 'sendQueued', 'askToLeave'],
    description: 'GM8, GM9',
  },
  {
    guard: 'isNextView',
    target: 'outside',
    actions: ['learn', 'deliverRest', 'depart'],
    description: 'GM8, GM10',
  },
  { description: 'GM9: known, or of a coordinator that was replaced' },
] as const;

/** A coordinator asks what a member has. */
const onFlush = [
  { guard: 'isOfEarlierView', actions: 'tellDecision', description: 'GM11' },
  { guard: 'isOfLaterView', actions: 'tellBehind', description: 'GM11' },
  { guard: 'isInOrder', target: 'flushing', actions: 'answerFlush', description: 'GM6' },
  { description: 'GM7: of a coordinator that was replaced' },
] as const;

const onFlushAsCoordinator = [
  { guard: 'isOfEarlierView', actions: 'tellDecision', description: 'GM11' },
  { actions: 'keepEarly', description: 'GM12' },
] as const;

/**
 * What another member has, where this node does not collect it. It asks again a member that is
 * ahead of it.
 */
const onFlushed = [
  { guard: 'isBehind', actions: 'tellDecision', description: 'GM11' },
  { description: 'GM7: of an earlier flush' },
] as const;

/**
 * From a member whose coordinator has crashed: this node is to take over, or has the next view when
 * it gets to it.
 */
const onFlushedEarly = [
  { guard: 'isBehind', actions: 'tellDecision', description: 'GM11' },
  { actions: 'keepEarly', description: 'GM12' },
] as const;

/** In the states in which a member does not send. */
const withoutSending = {
  multicast: { actions: 'queue', description: 'GM3' },
  leave: { actions: 'wantToLeave', description: 'GM5' },
  submit: [earlyMessage, messageInFlush],
  message: [earlyMessage, messageInFlush],
} as const;

export const group = {
  on: {
    'join-request': { actions: 'noteJoin', description: 'GM4' },
    down: { actions: 'noteDown', description: 'GM5' },
    acknowledge: { description: 'GM13: of a view that ends, or of no member' },
    welcome: { description: 'GM9: known, or of a coordinator that was replaced' },
    'leave-request': [
      earlyMessage,
      { guard: 'isOfEarlierView', description: 'GM12: of an earlier view' },
      { actions: 'noteLeave', description: 'GM5' },
    ],
  },
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'isFounder', target: 'open', actions: 'found', description: 'GM1' },
        { target: 'outside' },
      ],
    },
    outside: {
      tags: 'outside',
      on: {
        join: { target: 'joining', actions: 'askToJoin', description: 'GM4' },
        flush: [
          { guard: 'isOfEarlierView', actions: 'tellDecision', description: 'GM11' },
          { actions: 'decline', description: 'GM11' },
        ],
        'leave-request': { description: 'GM10: not a member' },
        submit: { description: 'GM10: not a member' },
        message: { description: 'GM10: not a member' },
        flushed: onFlushed,
        'new-view': { description: 'GM10: not a member' },
      },
    },
    joining: {
      tags: 'joining',
      always: {
        guard: 'isCoordinatorDown',
        target: 'joining',
        actions: 'askToJoin',
        description: 'GM4',
      },
      on: {
        flush: [
          { guard: 'knowsNextView', actions: 'tellDecision', description: 'GM11' },
          { guard: 'isForEarlierStart', description: 'GM6: before it crashed' },
          { guard: 'isUnasked', actions: 'answerFlush', description: 'GM6' },
          { guard: 'isOfEarlierView', actions: 'tellBehind', description: 'GM11' },
          { guard: 'isOfLaterView', actions: 'keepEarly', description: 'GM12' },
          { guard: 'isInOrder', actions: 'answerFlush', description: 'GM7' },
          { description: 'GM7: of a coordinator that was replaced' },
        ],
        'join-request': [
          {
            guard: and(['isNewAttempt', 'isUnasked']),
            actions: ['noteJoin', 'repeatRequest'],
            description: 'GM4',
          },
          { actions: 'noteJoin', description: 'GM4' },
        ],
        welcome: [
          {
            guard: and(['isFromCoordinator', 'isOfThisAttempt']),
            target: 'open',
            actions: ['learn', 'install', 'sendQueued', 'askToLeave'],
            description: 'GM9',
          },
          { guard: 'isFromCoordinator', actions: 'askToJoin', description: 'GM4' },
          { description: 'GM9: of a coordinator that was replaced' },
        ],
        submit: { actions: 'keepEarly', description: 'GM12' },
        message: { actions: 'keepEarly', description: 'GM12' },
        flushed: onFlushed,
        'new-view': [
          {
            guard: and(['isFromCoordinator', 'isAhead']),
            actions: 'askToJoin',
            description: 'GM4',
          },
          { description: 'GM9: known, or of another coordinator' },
        ],
      },
    },
    open: {
      tags: 'member',
      always: {
        guard: and(['isActing', 'wantsChange']),
        target: 'collecting',
        actions: 'askToFlush',
        description: 'GM6',
      },
      on: {
        multicast: { actions: 'multicast', description: 'GM2' },
        leave: { actions: ['wantToLeave', 'askToLeave'], description: 'GM5' },
        submit: [messageOfOtherView, { actions: 'publishSubmitted', description: 'GM2' }],
        message: [messageOfOtherView, { actions: 'deliver', description: 'GM2' }],
        acknowledge: [messageOfOtherView, { actions: 'noteAcknowledgement', description: 'GM13' }],
        flush: [
          { guard: 'isOfEarlierView', actions: 'tellDecision', description: 'GM11' },
          messageOfOtherView,
          { target: 'flushing', actions: 'answerFlush', description: 'GM6' },
        ],
        'new-view': { description: 'GM9: known' },
        flushed: onFlushedEarly,
      },
    },
    flushing: {
      tags: ['member', 'waiting'],
      always: [
        {
          guard: and(['isCoordinatorGone', 'isActing']),
          target: 'collecting',
          actions: 'askToFlush',
          description: 'GM7',
        },
        { guard: 'isCoordinatorGone', actions: 'turnToNext', description: 'GM7' },
      ],
      on: {
        ...withoutSending,
        submit: laterMessage,
        flush: onFlush,
        'new-view': onNewView,
        flushed: onFlushedEarly,
      },
    },
    collecting: {
      tags: ['member', 'waiting'],
      always: {
        guard: 'allAnswered',
        target: 'decided',
        actions: ['decide', 'deliverRest'],
        description: 'GM8',
      },
      on: {
        ...withoutSending,
        flush: onFlushAsCoordinator,
        flushed: [
          { guard: and(['isAwaited', 'isBehind']), actions: 'bringUp', description: 'GM11' },
          { guard: 'isOfLaterView', actions: 'keepEarly', description: 'GM12' },
          { guard: 'isAwaited', actions: 'collect', description: 'GM6' },
          ...onFlushed,
        ],
        'new-view': [
          { guard: 'isAhead', actions: 'adopt', description: 'GM11' },
          { description: 'GM9: known' },
        ],
      },
    },
    decided: {
      always: [
        {
          guard: 'needsSnapshot',
          target: 'handover',
          actions: 'askForSnapshot',
          description: 'GM14',
        },
        {
          guard: 'staysMember',
          target: 'open',
          actions: ['announce', 'install', 'sendQueued', 'askToLeave'],
          description: 'GM8, GM9',
        },
        { target: 'outside', actions: ['announce', 'depart'], description: 'GM8, GM10' },
      ],
    },
    handover: {
      tags: ['member', 'waiting', 'handover'],
      on: {
        ...withoutSending,
        submit: laterMessage,
        message: laterMessage,
        flush: onFlushAsCoordinator,
        snapshot: [
          {
            guard: 'staysMember',
            target: 'open',
            actions: ['announce', 'install', 'sendQueued', 'askToLeave'],
            description: 'GM14, GM9',
          },
          { target: 'outside', actions: ['announce', 'depart'], description: 'GM14, GM10' },
        ],
        flushed: onFlushed,
        'new-view': { description: 'GM9: known' },
      },
    },
  },
} as const;

/** A member that the network tells of crashes. */
export const machine = member.createMachine({ id: 'membership', context, ...group });

export type Options = {
  /**
   * `total`: all members deliver all messages in the same order; `fifo`: those of each sender.
   * Default `total`.
   */
  readonly order?: 'total' | 'fifo';
  /**
   * How many nodes, the smallest first, are the members of view 1; the others may join. Default:
   * all.
   */
  readonly founders?: number;
  /**
   * A member acknowledges each `window`-th message of a sender, so that members can forget. Default
   * 16.
   */
  readonly window?: number;
  /**
   * Whether a newcomer gets the state of the application, which the coordinator asks its own
   * application for. Default false.
   */
  readonly stateTransfer?: boolean;
  /**
   * Whether nodes find out about crashes by heartbeats, instead of the network's reports. Default
   * false.
   */
  readonly detector?: boolean;
  /**
   * With `detector`: the time between two heartbeats, in milliseconds; in real time at least 10.
   * Default 100.
   */
  readonly period?: number;
  /**
   * With `detector`: after how many milliseconds without a heartbeat a node counts as crashed; in
   * real time at least 10 more than `period`. Default 200.
   */
  readonly silence?: number;
};

export const membershipOptions: OptionSchemas<Options> = {
  order: oneOf(
    ['total', 'fifo'],
    'the order of deliveries: total, or fifo, that of each sender only',
  ),
  founders: whole(1, 'how many nodes, the smallest first, are the members of view 1'),
  window: whole(
    1,
    'members acknowledge each message of a sender whose position is a multiple of this',
  ),
  stateTransfer: flag('newcomers get the state of the application'),
  detector: flag('nodes find out about crashes by heartbeats, instead of reports of the network'),
  period: time('with detector: the time between two heartbeats'),
  silence: time('with detector: after how long without a heartbeat a node counts as crashed'),
};
