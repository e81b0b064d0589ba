/**
 * Views: who asks to join and to leave, how the members of a view agree on the next one by a flush,
 * and how a node installs it.
 */

import { type NodeId, notify, send } from '@conclave/core/protocol';
import { ofNode } from '../../by-node.js';
import {
  actingCoordinator,
  attemptsPerStart,
  type Context,
  type Event,
  type Message,
  type Outcome,
  othersOf,
  stillDown,
  toEach,
  union,
  without,
  withoutKeys,
} from './member.js';
import { closed, merge } from './order.js';

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
const emptyView = {
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
      ...emptyView,
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
      ...emptyView,
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

// The flush: a coordinator collects what the members of the view have, before it decides on the
// next one.

export const wantsChange = ({ members, down, joining, leaving }: Context): boolean =>
  Object.keys(joining).length > 0 || leaving.length > 0 || members.some((id) => down.includes(id));

export function askToFlush(context: Context): Outcome {
  const { self, number, joining: newcomers } = context;
  const awaiting = without(
    union(othersOf(context), Object.keys(newcomers)),
    stillDown(context, newcomers),
  );
  return {
    change: { coordinator: self, newcomers, awaiting },
    effects: toEach(awaiting, flushOf(number, { ...context, newcomers })),
  };
}

/**
 * It names members by the attempt that made them members, too: so a node that has come back knows
 * whether it means the one before the crash.
 */
const flushOf = (view: number, { admitted, newcomers }: Context): Message => ({
  type: 'flush',
  view,
  newcomers: { ...admitted, ...newcomers },
});

/** The view of this node, or its attempt to join one, and what others may lack. */
function contribution({ self, number, attempt, members, log, pending }: Context): Message {
  const isMember = members.includes(self);
  return {
    type: 'flushed',
    view: isMember ? number : 0,
    attempt: isMember ? 0 : attempt,
    entries: log,
    pending: pending.filter(({ from }) => from === self),
  };
}

/** From now on only the decision of this coordinator, or of a later one, leads to the next view. */
export function answerFlush(context: Context, event: Event): Outcome {
  if (event.type !== 'flush') return {};
  const { self, joining, admitted } = context;
  const known = Object.entries(event.newcomers).filter(
    ([id, attempt]) => attempt <= (ofNode(admitted, id) ?? 0),
  );
  const newcomers = withoutKeys(event.newcomers, [
    ...known.map(([id]) => id),
    ...stillDown(context, event.newcomers),
    self,
  ]);
  return {
    change: {
      number: event.view,
      coordinator: event.from,
      joining: withoutKeys({ ...joining, ...newcomers }, [event.from]),
      awaiting: [],
      newcomers: {},
    },
    effects: [send(event.from, contribution(context))],
  };
}

/** Tells a coordinator of a later view that this node is not so far. */
export function tellBehind(context: Context, event: Event): Outcome {
  return event.type === 'flush' ? { effects: [send(event.from, contribution(context))] } : {};
}

/**
 * The coordinator has crashed: the next one gets what this node has, or says which view came next.
 */
export function turnToNext(context: Context): Outcome {
  const coordinator = actingCoordinator(context) ?? context.self;
  return { change: { coordinator }, effects: [send(coordinator, contribution(context))] };
}

/** Tells a node of an earlier view which one came next. */
export function tellDecision({ decision }: Context, event: Event): Outcome {
  if (!('from' in event) || !decision) return {};
  return { effects: [send(event.from, { type: 'new-view', ...decision })] };
}

/**
 * A node that is not in the group, and does not try to join: the coordinator has an old request of
 * it.
 */
export function decline(_context: Context, event: Event): Outcome {
  if (event.type !== 'flush') return {};
  return { effects: [send(event.from, { type: 'leave-request', view: event.view })] };
}

export function collect(context: Context, event: Event): Outcome {
  if (event.type !== 'flushed') return {};
  const { log, pending, newcomers, awaiting, number } = context;
  const { from, view, attempt, entries } = event;
  return {
    change: {
      log: merge(log, entries),
      pending: [...pending, ...event.pending],
      newcomers:
        view === number ? withoutKeys(newcomers, [from]) : { ...newcomers, [from]: attempt },
      awaiting: without(awaiting, [from]),
    },
  };
}

/** Sends the view of this node to a member that has not installed it yet, and asks again. */
export function bringUp(context: Context, event: Event): Outcome {
  const { number, decision } = context;
  if (event.type !== 'flushed' || !decision) return {};
  return {
    effects: [
      send(event.from, { type: 'new-view', ...decision }),
      send(event.from, flushOf(number, context)),
    ],
  };
}

/** Takes over the decision of a coordinator that crashed, from a member that has it. */
export function adopt(context: Context, event: Event): Outcome {
  if (event.type !== 'new-view') return {};
  const { type: _, from, ...decision } = event;
  return {
    change: {
      decision: { ...decision, by: context.self },
      awaiting: without(context.awaiting, [from]),
    },
  };
}

/** The next view; one that another coordinator has decided stays as it is. */
export function decide(context: Context): Outcome {
  const { self, number, members, admitted, newcomers, joining, down, leaving, decision } = context;
  if (decision && decision.number > number) return {};
  const stay = without(members, [...down, ...leaving, ...Object.keys(joining)]);
  const next = union(stay, Object.keys(newcomers));
  const attempts = Object.entries({ ...admitted, ...newcomers }).filter(([id]) =>
    next.includes(id),
  );
  return {
    change: {
      decision: {
        number: number + 1,
        members: next,
        admitted: Object.fromEntries(attempts),
        entries: closed(context),
        by: self,
      },
    },
  };
}
