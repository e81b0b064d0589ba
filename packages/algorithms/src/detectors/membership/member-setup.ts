/**
 * What the states of a member name: actions, each of which does what a function of flush.ts,
 * order.ts or views.ts says, and guards.
 */

import type { Effect } from '@conclave/core/protocol';
import { setup } from 'xstate';
import { ofNode } from '../../by-node.js';
import * as flush from './flush.js';
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
    askToFlush: actionOf(flush.askToFlush),
    answerFlush: actionOf(flush.answerFlush),
    tellDecision: actionOf(flush.tellDecision),
    tellBehind: actionOf(flush.tellBehind),
    turnToNext: actionOf(flush.turnToNext),
    decline: actionOf(flush.decline),
    collect: actionOf(flush.collect),
    bringUp: actionOf(flush.bringUp),
    adopt: actionOf(flush.adopt),
    decide: actionOf(flush.decide),
  },
  guards: {
    isFounder: ({ context: { founders, self, starts } }) => founders.includes(self) && starts === 1,
    isActing: ({ context }) => actingCoordinator(context) === context.self,
    wantsChange: ({ context }) => flush.wantsChange(context),
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
