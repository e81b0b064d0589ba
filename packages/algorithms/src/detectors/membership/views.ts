/** Views: who asks to join and to leave, and how a node installs the next view. */

import { type NodeId, notify, send } from '@conclave/core/protocol';
import { ofNode } from '../../by-node.js';
import {
  actingCoordinator,
  attemptsPerStart,
  type Context,
  type Event,
  type Outcome,
  othersOf,
  stillDown,
  toEach,
  union,
  without,
  withoutKeys,
} from './member.js';

export const found = ({ founders }: Context): Outcome => ({
  change: { number: 1, members: founders },
  effects: [notify({ type: 'view', number: 1, members: founders })],
});

export function askToJoin({ peers, starts, attempt: last, early }: Context): Outcome {
  const attempt = Math.max(last, (starts - 1) * attemptsPerStart) + 1;
  return {
    change: { coordinator: null, attempt, early: [] },
    effects: toEach(peers, { type: 'join-request', attempt }),
    raised: early,
  };
}

export const wantToLeave = ({ leaving, self }: Context): Outcome => ({
  change: { leaving: union(leaving, [self]) },
});

/** Asks the coordinator to go on without this node, if it wants to leave. */
export function askToLeave(context: Context): Outcome {
  const { self, number, leaving } = context;
  const coordinator = actingCoordinator(context);
  if (!leaving.includes(self) || coordinator === undefined || coordinator === self) return {};
  return { effects: [send(coordinator, { type: 'leave-request', view: number })] };
}

/** Notes an attempt to join, unless it led to this view or one before it. */
export function noteJoin({ joining, admitted, down }: Context, event: Event): Outcome {
  if (event.type !== 'join-request') return {};
  const { from, attempt } = event;
  const isNew = attempt > (ofNode(admitted, from) ?? 0);
  return {
    change: {
      down: without(down, [from]),
      joining: isNew ? { ...joining, [from]: attempt } : joining,
    },
  };
}

/** It may have been down when the request arrived, and may be the next coordinator. */
export function repeatRequest({ attempt }: Context, event: Event): Outcome {
  if (event.type !== 'join-request') return {};
  return { effects: [send(event.from, { type: 'join-request', attempt })] };
}

export function noteLeave(
  { members, joining, leaving, newcomers, awaiting }: Context,
  event: Event,
): Outcome {
  if (event.type !== 'leave-request') return {};
  const gone = [event.from];
  if (members.includes(event.from)) return { change: { leaving: union(leaving, gone) } };
  return {
    change: {
      joining: withoutKeys(joining, gone),
      newcomers: withoutKeys(newcomers, gone),
      awaiting: without(awaiting, gone),
    },
  };
}

export function noteDown(
  { down, crashes, admitted, joining, newcomers, awaiting, early }: Context,
  event: Event,
): Outcome {
  if (event.type !== 'down' && event.type !== 'detector-suspect') return {};
  const crashed = event.type === 'down' ? event.from : event.node;
  const count = (ofNode(crashes, crashed) ?? 0) + 1;
  const counted = { crashes: { ...crashes, [crashed]: count } };
  const attempts = [admitted, joining, newcomers].map((known) => ofNode(known, crashed) ?? 0);
  // others have told that it is back
  if (Math.max(...attempts) >= count * attemptsPerStart) return { change: counted };
  const gone = [crashed];
  return {
    change: {
      ...counted,
      down: union(down, gone),
      early: early.filter(({ type, from }) => type !== 'flush' || from !== crashed),
      joining: withoutKeys(joining, gone),
      newcomers: withoutKeys(newcomers, gone),
      awaiting: without(awaiting, gone),
    },
  };
}

export const keepEarly = ({ early }: Context, event: Event): Partial<Context> =>
  'from' in event && event.type !== 'down' && event.type !== 'present'
    ? { early: [...early, event] }
    : {};

export function learn(_context: Context, event: Event): Outcome {
  if (event.type !== 'new-view' && event.type !== 'welcome') return {};
  const { number, members, admitted, entries, by } = event;
  return { change: { decision: { number, members, admitted, entries, by } } };
}

/**
 * Sends the next view to the other members of this one, and to the newcomers with the state of the
 * application; also to nodes that were asked in vain, since another one has decided.
 */
export function announce(context: Context, event: Event): Outcome {
  const { self, decision, down } = context;
  if (!decision) return {};
  const newcomers = without(newcomersOf(context), [self]);
  const asked = union(without(othersOf(context), down), Object.keys(context.newcomers));
  const old = without(asked, [...newcomers, self]);
  const state = event.type === 'snapshot' ? event.state : null;
  return {
    effects: [
      ...toEach(old, { type: 'new-view', ...decision }),
      ...toEach(newcomers, { type: 'welcome', state, ...decision }),
    ],
  };
}

/**
 * The newcomers of the next view; a member that even this view has left out knows no state for
 * them.
 */
export function newcomersOf(context: Context): readonly NodeId[] {
  const { decision, number, members, admitted } = context;
  if (decision?.number !== number + 1) return [];
  const isNew = (id: NodeId) =>
    !members.includes(id) || ofNode(admitted, id) !== ofNode(decision.admitted, id);
  return without(decision.members.filter(isNew), stillDown(context, decision.admitted));
}

/** What a node forgets of a view. */
const nothing = {
  delivered: {},
  log: [],
  acknowledged: {},
  pending: [],
  coordinator: null,
  awaiting: [],
  newcomers: {},
  early: [],
} as const;

export function install(context: Context, event: Event): Outcome {
  const { decision, joining, leaving, early } = context;
  if (!decision) return {};
  const { number, members, admitted } = decision;
  const served = Object.keys(joining).filter(
    (id) => (ofNode(joining, id) ?? 0) <= (ofNode(admitted, id) ?? 0),
  );
  const state = event.type === 'welcome' && context.stateTransfer ? { state: event.state } : {};
  return {
    change: {
      ...nothing,
      number,
      members,
      admitted,
      down: stillDown(context, admitted),
      joining: withoutKeys(joining, served),
      leaving: leaving.filter((id) => members.includes(id)),
    },
    effects: [notify({ type: 'view', number, members, ...state })],
    raised: early,
  };
}

export function depart({ self, leaving, number, decision, early }: Context): Outcome {
  return {
    change: {
      ...nothing,
      number: decision?.number ?? number,
      members: [],
      admitted: {},
      leaving: [],
      queued: [],
    },
    effects: [notify({ type: leaving.includes(self) ? 'left' : 'excluded' })],
    raised: early,
  };
}
