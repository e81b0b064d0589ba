/**
 * Bully election (H. Garcia-Molina, IEEE Transactions on Computers 31:1, 1982), in the form of
 * three messages, with terms. Complete network, any order, messages of bounded delay; at most n²−1
 * messages. Rules BU1–BU11: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup } from 'xstate';
import { compose } from '../../composition/region.js';
import { machine as heartbeat } from '../../detectors/heartbeat/heartbeat.js';
import { flag, type OptionSchemas, time } from '../../options.js';
import type { Command } from '../election.js';

export type Options = {
  /**
   * How long, in milliseconds, a node waits for an answer: longer than the longest round trip; in
   * real time at least 10. Default 250.
   */
  readonly timeout?: number;
  /**
   * Whether a node holds an election as it starts for the first time, too. Default false: it waits
   * for `elect` or a message.
   */
  readonly electAtStart?: boolean;
  /**
   * Whether nodes watch the larger ones by heartbeats, and hold an election when they suspect the
   * leader. Default false.
   */
  readonly detector?: boolean;
  /**
   * With `detector`: the time between two heartbeats, in milliseconds; in real time at least 10.
   * Default 100.
   */
  readonly period?: number;
  /**
   * With `detector`: after how many milliseconds without a heartbeat a node is suspected; in real
   * time at least 10 more than `period`. Default 200.
   */
  readonly silence?: number;
};

export const bullyOptions: OptionSchemas<Options> = {
  timeout: time('how long a node waits for an answer'),
  detector: flag(
    'nodes watch larger ones by heartbeats, and hold an election when they suspect the leader',
  ),
  period: time('with detector: the time between two heartbeats'),
  silence: time('with detector: after how long without a heartbeat a node is suspected'),
  electAtStart: flag('a node holds an election at its first start, too'),
};

/**
 * Each carries a term. ELECTION asks larger nodes whether they live; ANSWER says so, or tells a
 * restarted node the term; COORDINATOR announces the leader.
 */
export type Message = {
  readonly type: 'election' | 'answer' | 'coordinator';
  readonly term: number;
};

interface Input {
  readonly self: NodeId;
  readonly lower: readonly NodeId[];
  readonly higher: readonly NodeId[];
  /**
   * How long, in milliseconds, a node waits for an answer; twice as long for the announcement after
   * an answer.
   */
  readonly timeout: number;
  /**
   * Whether this node has run before: then it has forgotten what happened, and a message on its way
   * to it may be older than its return.
   */
  readonly hasRun: boolean;
  /** The latest term that this node knows; 0 before the first. */
  readonly term: number;
}

interface Context extends Input {
  /** The leader of the latest term whose announcement has come; null while the node knows none. */
  readonly leader: NodeId | null;
  /** Whether this node starts again after a crash. */
  readonly isRestarted: boolean;
  /** The part that is the failure detector, if there is one. */
  readonly detector?: { readonly suspected: readonly NodeId[] };
}

export type Event = Command | Received<Message>;

interface Given {
  readonly context: Context;
  readonly event: Event;
}

const types = ['election', 'answer', 'coordinator'] as const;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const toAll = (type: Message['type'], receivers: (context: Context) => readonly NodeId[]) =>
  node.enqueueActions(({ context, enqueue }) => {
    for (const peer of receivers(context)) enqueue.emit(send(peer, { type, term: context.term }));
  });

const toSender = (type: Message['type']) =>
  node.emit(({ context, event }) => {
    assertEvent(event, types);
    return send(event.from, { type, term: context.term });
  });

const witness = node.assign(({ context, event }) => {
  assertEvent(event, types);
  return { term: Math.max(context.term, event.term) };
});

const follow = node.assign(({ event }) => {
  assertEvent(event, 'coordinator');
  return { term: event.term, leader: event.from };
});

const isLower = ({ context, event }: Given): boolean => {
  assertEvent(event, types);
  return event.from < context.self;
};

const isEarlier = ({ context, event }: Given): boolean => {
  assertEvent(event, types);
  return event.term < context.term;
};

const isLater = ({ context, event }: Given): boolean => {
  assertEvent(event, types);
  return event.term > context.term;
};

/**
 * The first own term of this node that is in a later round than each term that it knows. Round r
 * has the terms r·n to r·n + n − 1, the first of them for the largest node: no two nodes share a
 * term, and a smaller node, which leads only after the larger ones have crashed, has a later term
 * in the same round.
 */
const nextTerm = ({ term, lower, higher }: Context): number => {
  const n = lower.length + 1 + higher.length;
  return (Math.floor(term / n) + 1) * n + higher.length;
};

const member = node.extend({
  actions: {
    askHigher: toAll('election', ({ higher }) => higher),
    askLower: toAll('election', ({ lower }) => lower),
    announce: toAll('coordinator', ({ lower }) => lower),
    answer: toSender('answer'),
    repeat: toSender('coordinator'),
    askSender: toSender('election'),
    witness,
    follow,
    forget: node.assign({ leader: null }),
    lead: node.assign(({ context }) => ({ term: nextTerm(context), leader: context.self })),
  },
  guards: {
    isLower,
    isEarlier,
    isLater,
    isRestarted: ({ context }) => context.isRestarted,
    isHighest: ({ context }) => context.higher.length === 0,
    isLeaderSuspected: ({ context: { leader, detector } }) =>
      leader !== null && detector?.suspected.includes(leader) === true,
  },
  delays: {
    timeout: ({ context }) => context.timeout,
    twiceTimeout: ({ context }) => 2 * context.timeout,
  },
});

const toFollower = { target: 'follower', actions: 'follow', description: 'BU5' } as const;
/** A sender that leads in an earlier term hears of the later one. */
const coordinator = [
  { guard: 'isEarlier', actions: 'askSender', description: 'BU11' },
  toFollower,
] as const;

const follower = member.createStateConfig({
  tags: 'decided',
  on: {
    elect: { target: 'electing', actions: ['forget', 'askHigher'], description: 'BU1' },
    election: [
      {
        guard: and(['isLower', 'isEarlier']),
        actions: 'answer',
        description: 'BU2: the announcement is on its way',
      },
      {
        guard: 'isLower',
        target: 'electing',
        actions: ['forget', 'witness', 'answer', 'askHigher'],
        description: 'BU2',
      },
      { actions: 'answer', description: 'BU8' },
    ],
    answer: { description: 'BU3: the election is over' },
    coordinator,
  },
});

const states = {
  starting: {
    always: [
      { guard: 'isRestarted', target: 'rejoining', actions: 'askLower', description: 'BU7' },
      { target: 'asleep' },
    ],
  },
  asleep: {
    on: {
      elect: { target: 'electing', actions: 'askHigher', description: 'BU1' },
      election: [
        {
          guard: 'isLower',
          target: 'electing',
          actions: ['witness', 'answer', 'askHigher'],
          description: 'BU2',
        },
        { target: 'yielding', actions: ['witness', 'answer'], description: 'BU8' },
      ],
      coordinator: toFollower, // it knows no term yet
    },
  },
  electing: {
    tags: 'waiting',
    always: {
      guard: 'isHighest',
      target: 'leader',
      actions: ['lead', 'announce'],
      description: 'BU4',
    },
    on: {
      elect: { description: 'BU1: it holds an election already' },
      election: [
        { guard: 'isLower', actions: ['witness', 'answer'], description: 'BU2' },
        { target: 'yielding', actions: ['witness', 'answer'], description: 'BU8' },
      ],
      answer: [
        { guard: 'isLower', actions: 'witness', description: 'BU7' },
        { target: 'yielding', actions: 'witness', description: 'BU3' },
      ],
      coordinator,
    },
    after: { timeout: { target: 'leader', actions: ['lead', 'announce'], description: 'BU4' } },
  },
  rejoining: {
    tags: 'waiting',
    on: {
      elect: { description: 'BU1: it holds an election already' },
      election: { actions: ['witness', 'answer'], description: 'BU2, BU8' },
      answer: { actions: 'witness', description: 'BU7' },
      coordinator: {
        actions: 'witness',
        description: 'BU7: it may be older than the return of this node',
      },
    },
    after: { timeout: { target: 'electing', actions: 'askHigher', description: 'BU7' } },
  },
  yielding: {
    tags: 'waiting',
    on: {
      elect: { description: 'BU1: it holds an election already' },
      election: { actions: ['witness', 'answer'], description: 'BU2, BU8' },
      answer: { actions: 'witness', description: 'BU3' },
      coordinator,
    },
    after: { twiceTimeout: { target: 'electing', actions: 'askHigher', description: 'BU3' } },
  },
  follower,
  leader: {
    tags: ['leader', 'decided'],
    on: {
      elect: { description: 'BU1: it is the leader' },
      election: [
        {
          guard: and(['isLower', 'isLater']),
          actions: ['witness', 'lead', 'announce'],
          description: 'BU9',
        },
        { guard: 'isLower', actions: 'repeat', description: 'BU6' },
        { target: 'yielding', actions: ['forget', 'witness', 'answer'], description: 'BU8' },
      ],
      answer: { description: 'BU3: too late' },
      coordinator,
    },
  },
} as const;

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  hasRun: true,
  isRestarted: input.hasRun,
  leader: null,
});

/** A node that holds an election when it is told to, or asked by a smaller node. */
export const machine = member.createMachine({ id: 'bully', context, initial: 'starting', states });

/**
 * A node that also holds one when its failure detector, which is one more region, suspects the
 * leader.
 */
export const detectingMachine = compose(
  member.createMachine({
    id: 'detecting-bully',
    type: 'parallel',
    context,
    states: {
      election: {
        initial: 'starting',
        states: {
          ...states,
          follower: {
            ...follower,
            always: {
              guard: 'isLeaderSuspected',
              target: 'electing',
              actions: ['forget', 'askHigher'],
              description: 'BU10',
            },
          },
        },
      },
    },
  }),
  { detector: heartbeat },
);
