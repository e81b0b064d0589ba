/**
 * Paxos, one decree (L. Lamport, ACM TOCS 16:2, 1998; Paxos Made Simple, 2001, section 2).
 * Proposers and acceptors, linked with each other; channels may lose, duplicate and reorder; nodes
 * crash and come back. 4a + p − 1 messages per ballot, for p proposers and a acceptors. Rules
 * PX1–PX7: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { type OptionSchemas, whole } from '../../options.js';

export type Options = {
  /** The first so many nodes propose, the others accept. Default 2. */
  readonly proposers?: number;
};

export const paxosOptions: OptionSchemas<Options> = {
  proposers: whole(1, 'how many nodes propose; the others accept'),
};

export interface Command {
  readonly type: 'propose';
  readonly value: string;
}

/** What an acceptor has accepted last. */
export interface Accepted {
  readonly ballot: number;
  readonly value: string;
}

export type Message =
  | { readonly type: 'prepare'; readonly ballot: number }
  | { readonly type: 'promise'; readonly ballot: number; readonly accepted: Accepted | null }
  | { readonly type: 'accept'; readonly ballot: number; readonly value: string }
  | { readonly type: 'accepted'; readonly ballot: number }
  | { readonly type: 'learned'; readonly value: string };

interface ProposerInput {
  readonly acceptors: readonly NodeId[];
  /** The other proposers. */
  readonly others: readonly NodeId[];
  /** Its latest ballot, and what leads to its next one. */
  readonly ballot: number;
  readonly step: number;
}

export interface Proposer extends ProposerInput {
  /** What it proposes, or must propose; null before. */
  readonly value: string | null;
  /** Who has promised, or accepted, in this ballot. */
  readonly answered: readonly NodeId[];
  /** The latest of what the promises tell. */
  readonly latest: Accepted | null;
}

export interface Acceptor {
  /** The largest ballot that it has heard of. */
  readonly promised: number;
  readonly accepted: Accepted | null;
}

const proposing = setup({
  types: {} as {
    input: ProposerInput;
    context: Proposer;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
});

const toAcceptors = (message: (context: Proposer) => Message) =>
  proposing.enqueueActions(({ context, enqueue }) => {
    for (const id of context.acceptors) enqueue.emit(send(id, message(context)));
  });

const count = proposing.assign(({ context, event }) => {
  assertEvent(event, ['promise', 'accepted']);
  return { answered: [...context.answered.filter((id) => id !== event.from), event.from].sort() };
});

const noteAccepted = proposing.assign(({ context: { latest }, event }) => {
  assertEvent(event, 'promise');
  const { accepted } = event;
  return accepted && accepted.ballot > (latest?.ballot ?? 0) ? { latest: accepted } : {};
});

const proposer = proposing.extend({
  actions: {
    takeBallot: proposing.assign(({ context, event }) => {
      assertEvent(event, 'propose');
      const ballot = context.ballot + context.step;
      return { ballot, value: event.value, answered: [], latest: null };
    }),
    prepare: toAcceptors(({ ballot }) => ({ type: 'prepare', ballot })),
    count,
    noteAccepted,
    adopt: proposing.assign(({ context: { latest, value } }) => ({
      value: latest?.value ?? value,
      answered: [],
      latest: null,
    })),
    askToAccept: toAcceptors(({ ballot, value }) => ({
      type: 'accept',
      ballot,
      value: value ?? '',
    })),
    tell: proposing.enqueueActions(({ context: { others, value }, enqueue }) => {
      for (const id of others) enqueue.emit(send(id, { type: 'learned', value: value ?? '' }));
    }),
    learn: proposing.assign(({ event }) => {
      assertEvent(event, 'learned');
      return { value: event.value, answered: [], latest: null };
    }),
  },
  guards: {
    isOfBallot: ({ context, event }) => 'ballot' in event && event.ballot === context.ballot,
    hasMajority: ({ context: { answered, acceptors } }) => 2 * answered.length > acceptors.length,
  },
});

const proposes = {
  target: 'preparing',
  actions: ['takeBallot', 'prepare'],
  description: 'PX1',
} as const;
const learns = { target: 'decided', actions: 'learn', description: 'PX7' } as const;
const late = { description: 'PX4: of an earlier ballot' } as const;

export const proposerMachine = proposer.createMachine({
  id: 'paxos-proposer',
  context: ({ input }) => ({ ...input, value: null, answered: [], latest: null }),
  initial: 'idle',
  states: {
    idle: { on: { propose: proposes, promise: late, accepted: late, learned: learns } },
    preparing: {
      always: {
        guard: 'hasMajority',
        target: 'accepting',
        actions: ['adopt', 'askToAccept'],
        description: 'PX4',
      },
      on: {
        propose: proposes,
        promise: [
          { guard: 'isOfBallot', actions: ['count', 'noteAccepted'], description: 'PX4' },
          late,
        ],
        accepted: late,
        learned: learns,
      },
    },
    accepting: {
      always: { guard: 'hasMajority', target: 'decided', actions: 'tell', description: 'PX6' },
      on: {
        propose: proposes,
        promise: { description: 'PX4: it has a majority' },
        accepted: [{ guard: 'isOfBallot', actions: 'count', description: 'PX6' }, late],
        learned: learns,
      },
    },
    decided: {
      tags: 'decided',
      on: {
        propose: { description: 'PX1: a value is chosen' },
        promise: late,
        accepted: { description: 'PX6: it has a majority' },
        learned: { description: 'PX7: it knows' },
      },
    },
  },
});

const accepting = setup({
  types: {} as {
    input: Acceptor;
    context: Acceptor;
    events: Received<Extract<Message, { readonly type: 'prepare' | 'accept' }>>;
    emitted: Effect<Message>;
  },
});

const acceptor = accepting.extend({
  actions: {
    keepPromise: accepting.assign(({ event }) => ({ promised: event.ballot })),
    promise: accepting.emit(({ context: { accepted }, event: { from, ballot } }) =>
      send(from, { type: 'promise', ballot, accepted }),
    ),
    accept: accepting.assign(({ event }) => {
      assertEvent(event, 'accept');
      const { ballot, value } = event;
      return { promised: ballot, accepted: { ballot, value } };
    }),
    confirm: accepting.emit(({ event: { from, ballot } }) =>
      send(from, { type: 'accepted', ballot }),
    ),
  },
  guards: { isAllowed: ({ context, event }) => event.ballot >= context.promised },
});

export const acceptorMachine = acceptor.createMachine({
  id: 'paxos-acceptor',
  context: ({ input }) => input,
  initial: 'listening',
  states: {
    listening: {
      on: {
        prepare: [
          { guard: 'isAllowed', actions: ['keepPromise', 'promise'], description: 'PX2' },
          { description: 'PX3: it has promised more' },
        ],
        accept: [
          { guard: 'isAllowed', actions: ['accept', 'confirm'], description: 'PX5' },
          { description: 'PX3: it has promised more' },
        ],
      },
    },
  },
});
