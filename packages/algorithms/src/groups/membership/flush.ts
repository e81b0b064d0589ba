/** The flush: a coordinator collects what the members of the view have, before it decides on the next one. */
import { send } from '@conclave/core/protocol';
import { type Context, type Event, type Outcome, othersOf, toEach, union, without } from './member.js';
import { closed, merged } from './order.js';

export const wantsChange = ({ members, down, joining, leaving }: Context): boolean =>
  joining.length > 0 || leaving.length > 0 || members.some((id) => down.includes(id));

export function askToFlush(context: Context): Outcome {
  const { self, number, joining, down } = context;
  const awaiting = without(union(othersOf(context), joining), [...down, self]);
  return {
    change: { coordinator: self, newcomers: joining, awaiting },
    effects: toEach(awaiting, { type: 'flush', view: number, newcomers: joining }),
  };
}

/** Answers a flush; from now on only this coordinator, or a later one, may give the next view. */
export function answerFlush(context: Context, event: Event): Outcome {
  if (event.type !== 'flush') return {};
  const { self, number, log, pending, joining, down, members } = context;
  const newcomers = without(event.newcomers, [...down, self]);
  return {
    change: { coordinator: event.from, joining: union(joining, newcomers), awaiting: [], newcomers: [] },
    effects: [
      send(event.from, {
        type: 'flushed',
        view: members.includes(self) ? number : 0,
        entries: log,
        pending: pending.filter(({ from }) => from === self),
      }),
    ],
  };
}

/** Tells a coordinator of an earlier view which one came next. */
export function tellDecision({ decision }: Context, event: Event): Outcome {
  if (event.type !== 'flush' || !decision) return {};
  return { effects: [send(event.from, { type: 'new-view', ...decision })] };
}

/** A node that is not in the group, and does not want to be: the coordinator has an old request of it. */
export function decline(_context: Context, event: Event): Outcome {
  if (event.type !== 'flush') return {};
  return { effects: [send(event.from, { type: 'leave-request', view: event.view })] };
}

export function collect(context: Context, event: Event): Outcome {
  if (event.type !== 'flushed') return {};
  const { log, pending, newcomers, awaiting, number } = context;
  const isMember = event.view === number;
  return {
    change: {
      log: merged(log, event.entries),
      pending: [...pending, ...event.pending],
      newcomers: isMember ? without(newcomers, [event.from]) : union(newcomers, [event.from]),
      awaiting: without(awaiting, [event.from]),
    },
  };
}

/** Sends the view of this node to a member that has not installed it yet, and asks again. */
export function bringUp({ number, newcomers, decision }: Context, event: Event): Outcome {
  if (event.type !== 'flushed' || !decision) return {};
  return { effects: [send(event.from, { type: 'new-view', ...decision }), send(event.from, { type: 'flush', view: number, newcomers })] };
}

/** Takes over the decision of a coordinator that crashed, from a member that has it. */
export function adopt(context: Context, event: Event): Outcome {
  if (event.type !== 'new-view') return {};
  const { number, members, newcomers, entries, from } = event;
  return { change: { decision: { number, members, newcomers, entries }, awaiting: without(context.awaiting, [from]) } };
}

/** The next view; one that another coordinator has decided stays as it is. */
export function decide(context: Context): Outcome {
  const { number, members, newcomers, down, leaving, decision } = context;
  if (decision && decision.number > number) return {};
  const next = union(without(members, [...down, ...leaving]), newcomers);
  return { change: { decision: { number: number + 1, members: next, newcomers, entries: closed(context) } } };
}
