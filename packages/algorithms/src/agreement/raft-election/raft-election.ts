/**
 * Leader election of Raft (D. Ongaro, J. Ousterhout, USENIX ATC 2014, section 5.2). Complete network
 * whose channels may lose, duplicate and reorder; nodes crash and come back. 3(n−1) messages if one
 * node stands. Rules RF1–RF10: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../../election/election.js';
import { flag, type OptionSchemas, time } from '../../options.js';

export type Options = {
  /**
   * Whether leaders send heartbeats, and a node stands when it hears none. Default false: a node
   * stands when it gets `elect`.
   */
  readonly heartbeats?: boolean;
  /**
   * With `heartbeats`: the time between two of them, in milliseconds; in real time at least 10.
   * Default 100.
   */
  readonly period?: number;
  /**
   * With `heartbeats`: after how many milliseconds of silence the first node stands. Default 3 ·
   * `period`.
   */
  readonly timeout?: number;
  /** With `heartbeats`: how many milliseconds later each further node stands. Default `period`. */
  readonly spread?: number;
};

export const raftElectionOptions: OptionSchemas<Options> = {
  heartbeats: flag('leaders send heartbeats, and nodes stand when they miss them'),
  period: time('with heartbeats: the time between two of them'),
  timeout: time('with heartbeats: after how long a silence the first node stands'),
  spread: time('with heartbeats: how much later each further node stands'),
};

/**
 * REQUEST-VOTE of a candidate, APPEND-ENTRIES of a leader (without entries: there is no log), and
 * the REPLY to both.
 */
export type Message =
  | { readonly type: 'request-vote'; readonly term: number }
  | { readonly type: 'append-entries'; readonly term: number }
  | { readonly type: 'reply'; readonly term: number; readonly granted: boolean };

interface Input {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
  /** The time between two heartbeats, and after how much silence this node stands. */
  readonly period: number;
  readonly timeout: number;
  /** The latest term that this node knows; 0 before the first. */
  readonly term: number;
  /** The candidate that it has voted for in this term. */
  readonly votedFor: NodeId | null;
}

interface Context extends Input {
  /** Who has voted for this node in this term; none at a follower. */
  readonly votes: readonly NodeId[];
  /** The leader of this term, as far as it is known. */
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const termIn = (event: Event): number => ('term' in event ? event.term : 0);

const base = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const toAll = (type: 'request-vote' | 'append-entries') =>
  base.enqueueActions(({ context: { peers, term }, enqueue }) => {
    for (const peer of peers) enqueue.emit(send(peer, { type, term }));
  });

const reply = (granted: boolean) =>
  base.emit(({ context, event }) => {
    assertEvent(event, ['request-vote', 'append-entries']);
    return send(event.from, { type: 'reply', term: context.term, granted });
  });

const adoptTerm = base.assign(({ context, event }) => {
  const term = termIn(event);
  return term > context.term ? { term, votedFor: null, votes: [], leader: null } : { votes: [] };
});

const countVote = base.assign(({ context, event }) => {
  assertEvent(event, 'reply');
  return { votes: [...context.votes.filter((id) => id !== event.from), event.from].sort() };
});

const node = base.extend({
  actions: {
    stand: base.assign(({ context: { self, term } }) => ({
      term: term + 1,
      votedFor: self,
      votes: [self],
      leader: null,
    })),
    requestVotes: toAll('request-vote'),
    adoptTerm,
    voteFor: base.assign(({ event }) => {
      assertEvent(event, 'request-vote');
      return { votedFor: event.from };
    }),
    grant: reply(true),
    refuse: reply(false),
    countVote,
    lead: base.assign(({ context }) => ({ leader: context.self })),
    announce: toAll('append-entries'),
    follow: base.assign(({ event }) => {
      assertEvent(event, 'append-entries');
      return { leader: event.from };
    }),
  },
  guards: {
    isLater: ({ context, event }) => termIn(event) > context.term,
    isEarlier: ({ context, event }) => termIn(event) < context.term,
    mayVote: ({ context, event }) => {
      assertEvent(event, 'request-vote');
      const { term, votedFor } = context;
      return event.term === term && (votedFor === null || votedFor === event.from);
    },
    isVote: ({ context, event }) => {
      assertEvent(event, 'reply');
      return event.granted && event.term === context.term;
    },
    hasMajority: ({ context: { votes, peers } }) => 2 * votes.length > peers.length + 1,
  },
  delays: {
    period: ({ context }) => context.period,
    timeout: ({ context }) => context.timeout,
  },
});

const standing = {
  target: 'candidate',
  reenter: true,
  actions: ['stand', 'requestVotes'],
  description: 'RF1',
} as const;

const laterRequest = {
  guard: 'isLater',
  target: 'follower',
  reenter: true,
  actions: ['adoptTerm', 'voteFor', 'grant'],
  description: 'RF2',
} as const;

const laterReply = {
  guard: 'isLater',
  target: 'follower',
  actions: 'adoptTerm',
  description: 'RF7',
} as const;

const entries = [
  { guard: 'isEarlier', actions: 'refuse', description: 'RF8' },
  { target: 'follower', reenter: true, actions: ['adoptTerm', 'follow'], description: 'RF6' },
] as const;

const follower = node.createStateConfig({
  on: {
    elect: standing,
    'request-vote': [
      laterRequest,
      {
        guard: 'mayVote',
        target: 'follower',
        reenter: true,
        actions: ['voteFor', 'grant'],
        description: 'RF3',
      },
      { actions: 'refuse', description: 'RF4' },
    ],
    reply: [laterReply, { description: 'RF7: it stands no longer' }],
    'append-entries': entries,
  },
});

const candidate = node.createStateConfig({
  always: {
    guard: 'hasMajority',
    target: 'leader',
    actions: ['lead', 'announce'],
    description: 'RF5',
  },
  on: {
    elect: standing,
    'request-vote': [laterRequest, { actions: 'refuse', description: 'RF4' }],
    reply: [
      laterReply,
      { guard: 'isVote', actions: 'countVote', description: 'RF5' },
      { description: 'RF5: no vote in this term' },
    ],
    'append-entries': entries,
  },
});

const leader = node.createStateConfig({
  tags: 'leader',
  on: {
    elect: { description: 'RF1: it leads' },
    'request-vote': [laterRequest, { actions: 'refuse', description: 'RF4' }],
    reply: [laterReply, { description: 'RF5: it has its majority' }],
    'append-entries': entries,
  },
});

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  votes: [],
  leader: null,
});

/** A node that stands when it is told to. */
export const machine = node.createMachine({
  id: 'raft-election',
  context,
  initial: 'follower',
  states: { follower, candidate, leader },
});

const missing = { timeout: { ...standing, description: 'RF10' } } as const;

/** A node that stands when it misses the heartbeats of a leader, too. */
export const timedMachine = node.createMachine({
  id: 'timed-raft-election',
  context,
  initial: 'follower',
  states: {
    follower: { ...follower, after: missing },
    candidate: { ...candidate, after: missing },
    leader: {
      ...leader,
      after: {
        period: { target: 'leader', reenter: true, actions: 'announce', description: 'RF9' },
      },
    },
  },
});
