/**
 * A member that learns of crashes from its failure detector, whose machine is one more region.
 *
 * A suspicion is false where messages take longer than `silence` allows. Then views come apart:
 * groups exclude each other, and members of one number differ. Nothing of that can be undone, but
 * it ends: the coordinator answers each heartbeat by its view. By the order of channels, a member
 * of that view has installed it when it learns of it. One that has not goes over: it is outside,
 * and may join. Of two coordinators the smaller one stays. Rules GM15–GM18: README.md
 */

import { type NodeId, notify, send } from '@conclave/core/protocol';
import { and } from 'xstate';
import { ofNode } from '../../by-node.js';
import { compose } from '../../composition/region.js';
import { machine as heartbeat } from '../heartbeat/heartbeat.js';
import {
  actingCoordinator,
  attemptsPerStart,
  type Context,
  type Event,
  type Outcome,
  type Present,
  toEach,
  without,
} from './member.js';
import { actionOf, context, group, member } from './membership.js';
import { askToJoin, depart, noteDown } from './views.js';

interface Given {
  readonly context: Context;
  readonly event: Event;
}

const inNone: Present = { type: 'present', view: 0, members: [] };

const senderOf = (event: Event): string => ('from' in event ? event.from : '');

/** GM15: the suspicion was false, or the node is back. */
const noteUp = ({ down }: Context, event: Event): Outcome =>
  down.includes(senderOf(event)) ? { change: { down: without(down, [senderOf(event)]) } } : {};

const tellView = ({ number, members }: Context, event: Event): Outcome => ({
  effects: [send(senderOf(event), { type: 'present', view: number, members })],
});

const tellNone = (_context: Context, event: Event): Outcome => ({
  effects: [send(senderOf(event), inNone)],
});

const tellAllNone = ({ peers }: Context): Outcome => ({ effects: toEach(peers, inNone) });

function goOver(context: Context): Outcome {
  const { change, effects = [], ...others } = depart(context);
  const told = toEach(context.peers, inNone);
  return { ...others, change: { ...change, decision: null }, effects: [...told, ...effects] };
}

/** A suspicion counts whatever is known of later starts: their heartbeats would have ended it. */
function noteGone(context: Context, node: NodeId): Outcome {
  const { crashes, admitted, joining, newcomers } = context;
  const attempts = [admitted, joining, newcomers].map((known) => ofNode(known, node) ?? 0);
  const starts = Math.floor(Math.max(...attempts) / attemptsPerStart);
  const known = { ...crashes, [node]: Math.max(starts, ofNode(crashes, node) ?? 0) };
  return noteDown({ ...context, crashes: known }, { type: 'detector-suspect', node });
}

const noteSuspicion = (context: Context, event: Event): Outcome =>
  event.type === 'detector-suspect' ? noteGone(context, event.node) : {};

const noteApart = (context: Context, event: Event): Outcome => noteGone(context, senderOf(event));

/** A node that has not answered is in another group. */
function giveUp(context: Context): Outcome {
  let change: Context = context;
  for (const node of context.awaiting) change = { ...change, ...noteGone(change, node).change };
  return { change };
}

function foundAgain({ self, number, attempt }: Context): Outcome {
  const view = { number: number + 1, members: [self] };
  const admitted = { [self]: attempt };
  return {
    change: { ...view, admitted, decision: { ...view, admitted, entries: [], by: self } },
    effects: [notify({ type: 'view', ...view })],
  };
}

const isSameView = ({ context: { number, members }, event }: Given): boolean =>
  event.type === 'present' && event.view === number && event.members.join() === members.join();

/** Whether the sender is in a view, and no node of this view that is up is smaller. */
const isPreceded = ({ context, event }: Given): boolean =>
  event.type === 'present' && event.view > 0 && event.from <= String(actingCoordinator(context));

const detecting = member.extend({
  actions: {
    noteUp: actionOf(noteUp),
    tellView: actionOf(tellView),
    tellNone: actionOf(tellNone),
    tellAllNone: actionOf(tellAllNone),
    goOver: actionOf(goOver),
    noteSuspicion: actionOf(noteSuspicion),
    noteApart: actionOf(noteApart),
    foundAgain: actionOf(foundAgain),
    giveUp: actionOf(giveUp),
    askToJoin: actionOf(askToJoin),
  },
  guards: {
    isSameView,
    isPreceded,
    isTakenForMember: ({ context: { self }, event }) =>
      event.type === 'present' && event.members.includes(self),
    /** Whether this node counts on the sender. */
    isConcerned: ({ context: { members, coordinator, awaiting }, event }) =>
      [...members, coordinator, ...awaiting].includes(senderOf(event)),
    isFirst: ({ context: { self, joining, coordinator } }) =>
      coordinator === null && Object.keys(joining).every((id) => self < id),
    isLeftOut: ({ context: { self, leaving }, event }) =>
      event.type === 'new-view' && !event.members.includes(self) && !leaving.includes(self),
  },
  delays: { patience: ({ context }) => context.patience ?? 0 },
});

const { down: _, ...on } = group.on;
const { starting, outside, joining, open, flushing, collecting, handover } = group.states;

/** Who has crashed stays as it was when the flush began. */
const toldInFlush = { actions: 'tellView', description: 'GM16' } as const;
const takenForMember = {
  guard: 'isTakenForMember',
  actions: 'tellNone',
  description: 'GM17',
} as const;

/** In the states of a member. */
const present = [
  {
    guard: and(['isSameView', 'isActing']),
    actions: ['noteApart', 'tellNone'],
    description: 'GM17: two coordinators of one view',
  },
  { guard: 'isSameView', description: 'GM16: the same view' },
  { guard: 'isPreceded', target: 'outside', actions: 'goOver', description: 'GM16' },
  {
    guard: and(['isTakenForMember', 'isConcerned']),
    actions: ['noteApart', 'tellNone'],
    description: 'GM17',
  },
  { guard: 'isConcerned', actions: 'noteApart', description: 'GM17' },
  takenForMember,
  { description: 'GM17: known' },
] as const;

const healing = {
  ...group,
  meta: { raises: ['detector-suspect'] },
  on: {
    ...on,
    'detector-suspect': { actions: 'noteSuspicion', description: 'GM5' },
    'detector-heartbeat': { actions: 'noteUp', description: 'GM15' },
  },
  states: {
    ...group.states,
    starting: {
      always: [starting.always[0], { ...starting.always[1], actions: 'tellAllNone' }],
    },
    outside: {
      ...outside,
      on: {
        ...outside.on,
        flush: [
          { guard: 'knowsNextView', actions: 'tellDecision', description: 'GM11' },
          { actions: 'decline', description: 'GM11' },
        ],
        present: [takenForMember, { description: 'GM17: known' }],
      },
    },
    joining: {
      ...joining,
      after: {
        patience: [
          { guard: 'isFirst', target: 'open', actions: 'foundAgain', description: 'GM18' },
          { target: 'joining', reenter: true, actions: 'askToJoin', description: 'GM18' },
        ],
      },
      on: {
        ...joining.on,
        present: [takenForMember, { description: 'GM17: not a member' }],
      },
    },
    open: {
      ...open,
      on: {
        ...open.on,
        present,
        flush: [
          open.on.flush[0],
          { guard: 'isOfOtherView', actions: 'tellNone', description: 'GM17' },
          open.on.flush[2],
        ],
        'detector-heartbeat': [
          { guard: 'isActing', actions: ['noteUp', 'tellView'], description: 'GM15, GM16' },
          { actions: 'noteUp', description: 'GM15' },
        ],
      },
    },
    flushing: { ...flushing, on: { ...flushing.on, present } },
    collecting: {
      ...collecting,
      after: { patience: { actions: 'giveUp', description: 'GM18' } },
      on: {
        ...collecting.on,
        present,
        'detector-heartbeat': toldInFlush,
        'new-view': [
          { guard: and(['isAhead', 'isLeftOut']), actions: 'noteApart', description: 'GM17' },
          ...collecting.on['new-view'],
        ],
      },
    },
    handover: {
      ...handover,
      on: { ...handover.on, present, 'detector-heartbeat': toldInFlush },
    },
  },
} as const;

/** A member that learns of crashes from its failure detector, which is one more region. */
export const detectingMachine = compose(
  detecting.createMachine({
    id: 'detecting-membership',
    type: 'parallel',
    context,
    states: { group: healing },
  }),
  { detector: heartbeat },
  { detector: { told: ['suspect'] } },
);
