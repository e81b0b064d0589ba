/**
 * The flush: a coordinator collects what the members of the view have, before it decides on the
 * next one.
 */

import { send } from '@conclave/core/protocol';
import { ofNode } from '../../by-node.js';
import {
  actingCoordinator,
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
