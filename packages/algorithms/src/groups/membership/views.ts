/** Views: who asks to join and to leave, and how a node installs the next view. */
import { type NodeId, notify } from '@conclave/core/protocol';
import { type Context, type Event, type Outcome, othersOf, toEach, union, without } from './member.js';

export const founded = ({ founders }: Context): Outcome => ({
  change: { number: 1, members: founders },
  effects: [notify({ type: 'view', number: 1, members: founders })],
});

export const askToJoin = ({ peers, down }: Context): Outcome => ({
  change: { coordinator: null },
  effects: toEach(without(peers, down), { type: 'join-request' }),
});

export const wantToLeave = ({ leaving, self }: Context): Outcome => ({ change: { leaving: union(leaving, [self]) } });

/** Tells the other members, if this node wants to leave. */
export const askToLeave = (context: Context): Outcome =>
  context.leaving.includes(context.self) ? { effects: toEach(othersOf(context), { type: 'leave-request', view: context.number }) } : {};

export function noteJoin({ joining, down }: Context, event: Event): Outcome {
  if (event.type !== 'join-request') return {};
  return { change: { joining: union(joining, [event.from]), down: without(down, [event.from]) } };
}

export function noteLeave({ members, joining, leaving, newcomers, awaiting }: Context, event: Event): Outcome {
  if (event.type !== 'leave-request') return {};
  const gone = [event.from];
  if (members.includes(event.from)) return { change: { leaving: union(leaving, gone) } };
  return { change: { joining: without(joining, gone), newcomers: without(newcomers, gone), awaiting: without(awaiting, gone) } };
}

export function noteDown({ down, joining, newcomers, awaiting }: Context, event: Event): Outcome {
  if (event.type !== 'down') return {};
  const gone = [event.from];
  return {
    change: {
      down: union(down, gone),
      joining: without(joining, gone),
      newcomers: without(newcomers, gone),
      awaiting: without(awaiting, gone),
    },
  };
}

export const keepEarly = ({ early }: Context, event: Event): Outcome => ('from' in event ? { change: { early: [...early, event] } } : {});

export function learn(_context: Context, event: Event): Outcome {
  if (event.type !== 'new-view' && event.type !== 'welcome') return {};
  const { number, members, newcomers, entries } = event;
  return { change: { decision: { number, members, newcomers, entries } } };
}

/** Sends the next view to the other members of this one, and to the newcomers with the state of the application. */
export function announce(context: Context, event: Event): Outcome {
  const { decision, down } = context;
  if (!decision) return {};
  const newcomers = newcomersOf(context);
  const old = without(othersOf(context), [...down, ...newcomers]);
  const state = event.type === 'snapshot' ? event.state : null;
  return {
    effects: [
      ...toEach(old, { type: 'new-view', ...decision }),
      ...toEach(without(newcomers, [context.self]), { type: 'welcome', state, ...decision }),
    ],
  };
}

/** The newcomers of the next view; a member that even this view has left out knows no state for them. */
export const newcomersOf = ({ decision, down, number }: Context): readonly NodeId[] =>
  decision?.number === number + 1 ? without(decision.newcomers, down) : [];

/** What a node forgets of a view. */
const nothing = {
  delivered: {},
  log: [],
  acknowledged: {},
  pending: [],
  coordinator: null,
  awaiting: [],
  newcomers: [],
  early: [],
} as const;

export function install(context: Context, event: Event): Outcome {
  const { decision, joining, leaving, early } = context;
  if (!decision) return {};
  const { number, members } = decision;
  const state = event.type === 'welcome' && context.stateTransfer ? { state: event.state } : {};
  return {
    change: {
      ...nothing,
      number,
      members,
      joining: without(joining, members),
      leaving: leaving.filter((id) => members.includes(id)),
    },
    effects: [notify({ type: 'view', number, members, ...state })],
    raised: early,
  };
}

export function depart({ self, leaving, number, decision }: Context): Outcome {
  return {
    change: { ...nothing, number: decision?.number ?? number, members: [], leaving: [], queued: [] },
    effects: [notify({ type: leaving.includes(self) ? 'left' : 'excluded' })],
  };
}
