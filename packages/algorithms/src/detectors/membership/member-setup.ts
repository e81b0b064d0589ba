/**
 * What the states of a member name: actions, each of which does what a function of flush.ts,
 * order.ts or views.ts says, and guards.
 */
import type { Effect } from '@conclave/core/protocol';
import { setup } from 'xstate';
import * as flush from './flush.js';
import {
  actingCoordinator,
  type Context,
  type Event,
  type Input,
  type Message,
  type Notification,
  type Outcome,
} from './member.js';
import * as order from './order.js';
import * as views from './views.js';

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<Message, Notification>;
  },
});

interface Given {
  readonly context: Context;
  readonly event: Event;
}

/** An action that does what `outcome` says. */
const doing = (outcome: (context: Context, event: Event) => Outcome) =>
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
    found: doing(views.founded),
    askToJoin: doing(views.askToJoin),
    wantToLeave: doing(views.wantToLeave),
    askToLeave: doing(views.askToLeave),
    noteJoin: doing(views.noteJoin),
    noteLeave: doing(views.noteLeave),
    noteDown: doing(views.noteDown),
    keepEarly: doing(views.keepEarly),
    learn: doing(views.learn),
    announce: doing(views.announce),
    install: doing(views.install),
    depart: doing(views.depart),
    multicast: doing(order.multicast),
    queue: doing(order.queue),
    sendQueued: doing(order.sendQueued),
    publishSubmitted: doing(order.publishSubmitted),
    deliver: doing(order.deliver),
    deliverRest: doing(order.deliverRest),
    noteAcknowledgement: doing(order.noteAcknowledgement),
    askForSnapshot: doing(order.tellWanted),
    askToFlush: doing(flush.askToFlush),
    answerFlush: doing(flush.answerFlush),
    tellDecision: doing(flush.tellDecision),
    tellBehind: doing(flush.tellBehind),
    turnToNext: doing(flush.turnToNext),
    decline: doing(flush.decline),
    collect: doing(flush.collect),
    bringUp: doing(flush.bringUp),
    adopt: doing(flush.adopt),
    decide: doing(flush.decide),
  },
  guards: {
    isFounder: ({ context: { founders, self, starts } }) => founders.includes(self) && starts === 1,
    isActing: ({ context }) => actingCoordinator(context) === context.self,
    wantsChange: ({ context }) => flush.wantsChange(context),
    isCoordinatorDown: ({ context: { coordinator, down } }) =>
      coordinator !== null && down.includes(coordinator),
    isCoordinatorGone: ({ context: { coordinator, down, joining } }) =>
      coordinator !== null && (down.includes(coordinator) || Object.hasOwn(joining, coordinator)),
    isUnasked: ({ context: { coordinator } }) => coordinator === null,
    isBack: ({ context, event }) => context.down.includes(senderOf(event)),
    knowsNextView: ({ context: { decision }, event }) =>
      decision !== null && viewOf(event) < decision.number,
    isOfEarlierView: ({ context, event }) => viewOf(event) < context.number,
    isOutdated: ({ context: { number, members }, event }) =>
      viewOf(event) < number || !members.includes(senderOf(event)),
    isOfLaterView: ({ context, event }) => viewOf(event) > context.number,
    isInOrder,
    isAhead,
    isNextView: (given) => isAhead(given) && isDecidedInOrder(given),
    isFromCoordinator: ({ context, event }) => senderOf(event) === context.coordinator,
    isInNextView: ({ context, event }) =>
      'members' in event && event.members.includes(context.self),
    staysMember: ({ context }) => context.decision?.members.includes(context.self) === true,
    allAnswered: ({ context }) => context.awaiting.length === 0,
    isAwaited: ({ context, event }) => context.awaiting.includes(senderOf(event)),
    isBehind: ({ context, event }) => viewOf(event) > 0 && viewOf(event) < context.number,
    needsSnapshot: ({ context }) => context.stateTransfer && views.newcomersOf(context).length > 0,
  },
});
