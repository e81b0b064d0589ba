/**
 * A lock by leased votes of a majority. It outlives crashes, restarts, pauses and lost messages.
 * Votes as in Maekawa (ACM TOCS 3:2, 1985), leases after Gray & Cheriton (SOSP 1989), ballots after
 * Lamport (ACM TOCS 16:2, 1998). 3(n−1) messages per entry at light load, one round trip to a
 * majority; channels may lose, duplicate and reorder; clocks drift within a bound. Rules LQ1–LQ17:
 * README.md
 */
import { type AnyStateMachine, and, not, or, stateIn } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { base } from './actions.js';
import type { Context, Input } from './node.js';

/** Votes of a majority, for a round whose stopwatch is still running. */
const isProved = or([
  and([stateIn({ even: 'running' }), 'evenCounts']),
  and([stateIn({ odd: 'running' }), 'oddCounts']),
]);

export const member = base.extend({ guards: { isProved, isUnproved: not('isProved') } });

/** The time since the latest even, or odd, round was sent. */
export const stopwatch = (parity: 'even' | 'odd') =>
  member.createStateConfig({
    initial: 'off',
    states: {
      off: { on: { [parity]: { target: 'running', description: 'LQ1' } } },
      running: {
        on: { [parity]: { target: 'running', reenter: true, description: 'LQ1' }, stopped: 'off' },
        after: { validity: { target: 'off', description: 'LQ4' } },
      },
    },
  });

/** Neither has the lock nor wants it. */
export const idle = member.createStateConfig({
  on: {
    acquire: {
      target: 'waiting',
      actions: ['takeBallot', 'nextRound', 'startStopwatch', 'request'],
      description: 'LQ1',
    },
    vote: { actions: 'returnThisVote', description: 'LQ7' },
    inquire: { actions: 'returnThisVote', description: 'LQ7' },
    refused: { description: 'LQ7: it requests no longer' },
  },
});

export const waiting = member.createStateConfig({
  tags: 'waiting',
  always: { guard: 'isProved', target: 'held', actions: 'noteEntry', description: 'LQ3' },
  on: {
    vote: [
      { guard: 'isCurrent', actions: 'takeVote', description: 'LQ3' },
      { actions: 'returnThisVote', description: 'LQ7' },
    ],
    inquire: [
      {
        guard: 'isCurrent',
        target: 'waiting',
        reenter: true,
        actions: ['stopStopwatches', 'takeBallot', 'nextRound', 'startStopwatch', 'request'],
        description: 'LQ6',
      },
      { actions: 'returnThisVote', description: 'LQ7' },
    ],
    refused: [
      {
        guard: 'isCurrent',
        target: 'waiting',
        reenter: true,
        actions: ['stopStopwatches', 'takeBallot', 'nextRound', 'startStopwatch', 'request'],
        description: 'LQ6',
      },
      { description: 'LQ7: an earlier ballot' },
    ],
  },
  after: {
    renewal: {
      target: 'waiting',
      reenter: true,
      actions: ['nextRound', 'startStopwatch', 'request'],
      description: 'LQ2',
    },
  },
});

/** What a client that has the votes does with the answers of voters. */
export const answersOfHolder = {
  vote: [
    { guard: 'isCurrent', actions: 'takeVote', description: 'LQ3' },
    { actions: 'returnThisVote', description: 'LQ7' },
  ],
  inquire: [
    { guard: 'isCurrent', description: 'LQ6: it has the lock' },
    { actions: 'returnThisVote', description: 'LQ7' },
  ],
  refused: { description: 'LQ6: it has the lock' },
} as const;

export const held = member.createStateConfig({
  tags: 'critical',
  always: {
    guard: 'isUnproved',
    target: 'idle',
    actions: ['reportLoss', 'noteExit', 'returnVotes', 'forgetVotes', 'stopStopwatches'],
    description: 'LQ4',
  },
  on: {
    ...answersOfHolder,
    release: {
      target: 'idle',
      actions: ['noteExit', 'returnVotes', 'forgetVotes', 'stopStopwatches'],
      description: 'LQ5',
    },
  },
  after: {
    renewal: [
      {
        guard: 'thisRoundCounts',
        target: 'held',
        reenter: true,
        actions: ['nextRound', 'startStopwatch', 'request'],
        description: 'LQ2',
      },
      { target: 'held', reenter: true, actions: 'request', description: 'LQ2' },
    ],
  },
});

export const voter = member.createStateConfig({
  initial: 'free',
  states: {
    free: {
      always: { guard: 'hasVote', target: 'bound', description: 'LQ13' },
      on: {
        request: [
          { guard: 'isTooSmall', actions: ['learn', 'refuse'], description: 'LQ9' },
          { actions: ['learn', 'enqueue', 'voteForFirst'], description: 'LQ8' },
        ],
        released: { actions: 'learn', description: 'LQ11' },
      },
    },
    bound: {
      always: { guard: not('hasVote'), target: 'free', description: 'LQ11' },
      on: {
        request: [
          {
            guard: 'hasTheVote',
            target: 'bound',
            reenter: true,
            actions: ['learn', 'voteAgain'],
            description: 'LQ8',
          },
          { guard: 'isReplaced', description: 'LQ10: the client has a later ballot' },
          {
            guard: 'replacesTheVote',
            target: 'bound',
            reenter: true,
            actions: ['learn', 'endVote', 'enqueue', 'voteForFirst'],
            description: 'LQ10',
          },
          { guard: 'isTooSmall', actions: ['learn', 'refuse'], description: 'LQ9' },
          {
            guard: 'isOlderThanTheVote',
            actions: ['learn', 'enqueue', 'inquire'],
            description: 'LQ10',
          },
          { actions: ['learn', 'enqueue'], description: 'LQ10' },
        ],
        released: [
          {
            guard: 'returnsTheVote',
            target: 'bound',
            reenter: true,
            actions: ['learn', 'endVote', 'dequeue', 'voteForFirst'],
            description: 'LQ11',
          },
          { actions: ['learn', 'dequeue'], description: 'LQ11' },
        ],
      },
      after: {
        lease: {
          target: 'bound',
          reenter: true,
          actions: ['expire', 'endVote', 'voteForFirst'],
          description: 'LQ12',
        },
      },
    },
  },
});

export const initialContext = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  largest: Math.max(input.ballot, input.floor, input.vote, input.ahead ?? 0),
  round: 0,
  votes: input.nodes.map(() => 0),
  queue: [],
});

export const machine = member.createMachine({
  id: 'leased-majority',
  context: initialContext,
  type: 'parallel',
  states: {
    client: { initial: 'idle', states: { idle, waiting, held } },
    even: stopwatch('even'),
    odd: stopwatch('odd'),
    voter,
  },
});

/** The option `cancel`: the client returns the votes for its ballot, which is never used again. */
export const cancellable = (of: AnyStateMachine): AnyStateMachine =>
  extend(`cancellable-${of.id}`, of, {
    client: member.createStateConfig({
      states: {
        waiting: {
          on: {
            cancel: {
              target: 'idle',
              actions: ['returnVotes', 'forgetVotes', 'stopStopwatches'],
              description: 'LQ14',
            },
          },
        },
      },
    }),
  });
