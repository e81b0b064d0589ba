/**
 * Maekawa's mutual exclusion by quorums (ACM TOCS 3:2, 1985), with Sanders' correction (ACM TOCS
 * 5:3, 1987). 3(K−1) messages per entry at light load, K the size of a quorum; reliable FIFO
 * channels. Rules MK1–MK10, MK11–MK14 for `cancel`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { ticked } from '../../../clocks/clock.js';
import { extend } from '../../../composition/extended.js';
import { cancel, flag, type OptionSchemas, oneOf } from '../../../options.js';
import type { CancellableCommand } from '../../cancel.js';
import { insert, isOlder, type Request } from '../building-blocks/permissions.js';
import { quorumKinds } from '../building-blocks/quorum-sets.js';

export type Options = {
  /**
   * The quorum of a node: a line of a projective `plane`, row and column of a `grid`, or a
   * `majority`. Default `best`: the plane if there is one, else the grid.
   */
  readonly quorums?: 'best' | 'plane' | 'grid' | 'majority';
  /** Without FAILED, INQUIRE and RELINQUISH; it deadlocks. Default false. */
  readonly naive?: boolean;
  /** The application may withdraw a request; not with `naive`. Default false. */
  readonly cancel?: boolean;
};

export const maekawaOptions: OptionSchemas<Options> = {
  quorums: oneOf(
    quorumKinds,
    'the quorums: plane, grid, majority, or best: plane if there is one, else grid',
  ),
  naive: flag('without deadlock resolution: it deadlocks'),
  cancel,
};

// Messages, context, actions and guards of clients and voters: rules MK1–MK14.

/**
 * REQUEST, RELINQUISH and RELEASE (here `released`; `release` is the application's command) go from
 * client to voter, the others back.
 */
export type Message =
  | { readonly type: 'request'; readonly ts: number }
  | { readonly type: 'locked'; readonly entries: number }
  | { readonly type: 'failed' }
  | { readonly type: 'inquire' }
  | { readonly type: 'relinquish' }
  | { readonly type: 'released'; readonly entries: number };

/**
 * With `cancel`: WITHDRAW takes the request back, and a vote that it got; WITHDRAWN confirms that.
 */
export type CancellableMessage =
  | Message
  | { readonly type: 'withdraw' }
  | { readonly type: 'withdrawn' };

interface Input {
  readonly self: NodeId;
  /** The voters whose votes the client needs: `self` and others. */
  readonly quorum: readonly NodeId[];
}

interface Context extends Input {
  /** The largest time stamp that this node has seen. */
  readonly clock: number;
  /** The voters whose votes the client has. */
  readonly votes: readonly NodeId[];
  /** The voters that the client knows to be locked for another. */
  readonly refusals: readonly NodeId[];
  /** The voters that have inquired about their vote and wait for an answer. */
  readonly inquiries: readonly NodeId[];
  /** The client's fencing token; while it waits, the largest number received with a vote. */
  readonly fence: number;
  /** The request that has the voter's vote. */
  readonly lock: Request | null;
  /** The requests that wait for the vote, the oldest first. */
  readonly queue: readonly Request[];
  /** The largest fencing token that the voter knows. */
  readonly entries: number;
  /** With `cancel`: the voters that have not confirmed yet that the request is withdrawn. */
  readonly unconfirmed?: readonly NodeId[];
}

export type Event = CancellableCommand | Received<CancellableMessage>;

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<CancellableMessage>;
  },
});

interface Given {
  readonly context: Context;
  readonly event: Event;
}

/**
 * Sends a message to some nodes. To the node itself it is an internal event, which the other region
 * takes within the same step.
 */
export const tell = (
  whom: (given: Given) => readonly NodeId[],
  what: (context: Context) => CancellableMessage,
) =>
  node.enqueueActions(({ context, event, enqueue }) => {
    for (const to of whom({ context, event }))
      if (to === context.self) enqueue.raise({ ...what(context), from: to });
      else enqueue.emit(send(to, what(context)));
  });

const quorum = ({ context }: Given) => context.quorum;

const inquirers = ({ context }: Given) => context.inquiries;

const holder = ({ context }: Given) => (context.lock ? [context.lock.id] : []);

const firstInQueue = ({ context }: Given) => context.queue.slice(0, 1).map(({ id }) => id);

const sender = ({ event }: Given) => ('from' in event ? [event.from] : []);

const requestOf = (event: Event): Request => {
  assertEvent(event, 'request');
  return { ts: event.ts, id: event.from };
};

/** Sets of ids are kept in order, so that equal sets are equal arrays. */
const withAll = (ids: readonly NodeId[], more: readonly NodeId[]) =>
  [...new Set([...ids, ...more])].sort();

const without = (ids: readonly NodeId[], gone: readonly NodeId[]) =>
  ids.filter((id) => !gone.includes(id));

const stamp = node.assign(({ context }) => ({ clock: ticked(context.clock) }));

const takeVote = node.assign(({ context, event }) => {
  assertEvent(event, 'locked');
  return {
    votes: withAll(context.votes, [event.from]),
    refusals: without(context.refusals, [event.from]),
    fence: Math.max(context.fence, event.entries),
  };
});

const noteRefusal = node.assign(({ context, event }) => ({
  refusals: withAll(context.refusals, sender({ context, event })),
}));

const noteInquiry = node.assign(({ context, event }) => ({
  inquiries: withAll(context.inquiries, sender({ context, event })),
}));

const giveUpVotes = node.assign(({ context: { votes, refusals, inquiries } }) => ({
  votes: without(votes, inquiries),
  refusals: withAll(refusals, inquiries),
  inquiries: [],
}));

const countEntry = node.assign(({ context }) => ({ fence: ticked(context.fence), inquiries: [] }));

const forgetVotes = node.assign({ votes: [], fence: 0 });

const witness = node.assign(({ context, event }) => ({
  clock: Math.max(context.clock, requestOf(event).ts),
}));

const lock = node.assign(({ event }) => ({ lock: requestOf(event) }));

const enqueue = node.assign(({ context, event }) => ({
  queue: insert(context.queue, requestOf(event)),
}));

const requeue = node.assign(({ context }) => ({
  queue: context.lock ? insert(context.queue, context.lock) : context.queue,
}));

const lockFirst = node.assign(({ context }) => ({
  lock: context.queue[0] ?? null,
  queue: context.queue.slice(1),
}));

const noteEntries = node.assign(({ event }) => {
  assertEvent(event, 'released');
  return { entries: event.entries };
});

const forgetRequest = node.assign(({ context }) => ({
  votes: [],
  refusals: [],
  inquiries: [],
  fence: 0,
  unconfirmed: context.quorum,
}));

const crossOff = node.assign(({ context, event }) => ({
  unconfirmed: without(context.unconfirmed ?? [], sender({ context, event })),
}));

const dequeue = node.assign(({ context, event }) => ({
  queue: context.queue.filter(({ id }) => !sender({ context, event }).includes(id)),
}));

/** Its actions and guards, with those for `cancel`. */
const quorumNode = node.extend({
  actions: {
    stamp,
    requestVotes: tell(quorum, ({ clock }) => ({ type: 'request', ts: clock })),
    takeVote,
    noteRefusal,
    noteInquiry,
    relinquish: tell(inquirers, () => ({ type: 'relinquish' })),
    giveUpVotes,
    countEntry,
    giveBack: tell(quorum, ({ fence }) => ({ type: 'released', entries: fence })),
    forgetVotes,
    witness,
    lock,
    vote: tell(holder, ({ entries }) => ({ type: 'locked', entries })),
    enqueue,
    refuse: tell(sender, () => ({ type: 'failed' })),
    refuseFirst: tell(firstInQueue, () => ({ type: 'failed' })),
    inquire: tell(holder, () => ({ type: 'inquire' })),
    requeue,
    lockFirst,
    noteEntries,
    withdrawAll: tell(quorum, () => ({ type: 'withdraw' })),
    forgetRequest,
    crossOff,
    dequeue,
    confirm: tell(sender, () => ({ type: 'withdrawn' })),
  },
  guards: {
    hasAllVotes: ({ context }) => context.votes.length === context.quorum.length,
    hasTheirVote: ({ context, event }) => 'from' in event && context.votes.includes(event.from),
    noRefusals: ({ context }) => context.refusals.length === 0,
    queueIsEmpty: ({ context }) => context.queue.length === 0,
    isOlderThanLock: ({ context, event }) =>
      context.lock !== null && isOlder(requestOf(event), context.lock),
    isYoungerThanLock: ({ context, event }) =>
      context.lock !== null && isOlder(context.lock, requestOf(event)),
    isQueued: ({ context, event }) =>
      context.queue.some(({ id }) => sender({ context, event }).includes(id)),
    allConfirmed: ({ context }) => context.unconfirmed?.length === 0,
    isOlderThanFirst: ({ context, event }) =>
      !context.queue[0] || isOlder(requestOf(event), context.queue[0]),
  },
});

export const machine = quorumNode.createMachine({
  id: 'maekawa',
  context: ({ input }) => ({
    ...input,
    clock: 0,
    votes: [],
    refusals: [],
    inquiries: [],
    fence: 0,
    lock: null,
    queue: [],
    entries: 0,
  }),
  type: 'parallel',
  states: {
    client: {
      initial: 'released',
      states: {
        released: {
          on: {
            acquire: { target: 'wanted', actions: ['stamp', 'requestVotes'], description: 'MK1' },
            inquire: { description: 'MK8: the vote was given back' },
          },
        },
        wanted: {
          tags: 'waiting',
          initial: 'hoping',
          states: {
            hoping: {
              on: {
                locked: { actions: 'takeVote', description: 'MK5' },
                inquire: [
                  { guard: 'hasTheirVote', actions: 'noteInquiry', description: 'MK7' },
                  { description: 'MK8: the vote was given back' },
                ],
                failed: {
                  target: 'refused',
                  actions: ['noteRefusal', 'relinquish', 'giveUpVotes'],
                  description: 'MK7',
                },
              },
            },
            refused: {
              always: { guard: 'noRefusals', target: 'hoping', description: 'MK7' },
              on: {
                locked: { actions: 'takeVote', description: 'MK5' },
                inquire: [
                  {
                    guard: 'hasTheirVote',
                    actions: ['noteInquiry', 'relinquish', 'giveUpVotes'],
                    description: 'MK7',
                  },
                  { description: 'MK8: the vote was given back' },
                ],
                failed: { actions: 'noteRefusal', description: 'MK7' },
              },
            },
          },
          always: {
            guard: 'hasAllVotes',
            target: 'held',
            actions: 'countEntry',
            description: 'MK5',
          },
        },
        held: {
          tags: 'critical',
          on: {
            inquire: { description: 'MK8: the vote goes back on release' },
            release: {
              target: 'released',
              actions: ['giveBack', 'forgetVotes'],
              description: 'MK6',
            },
          },
        },
      },
    },
    voter: {
      initial: 'free',
      states: {
        free: {
          on: {
            request: { target: 'locked', actions: ['witness', 'lock', 'vote'], description: 'MK2' },
          },
        },
        locked: {
          on: {
            request: [
              {
                guard: 'isOlderThanLock',
                target: 'inquiring',
                actions: ['witness', 'enqueue', 'inquire'],
                description: 'MK4',
              },
              { actions: ['witness', 'enqueue', 'refuse'], description: 'MK3' },
            ],
            released: [
              {
                guard: 'queueIsEmpty',
                target: 'free',
                actions: ['noteEntries', 'lockFirst'],
                description: 'MK10',
              },
              { actions: ['noteEntries', 'lockFirst', 'vote'], description: 'MK10' },
            ],
          },
        },
        inquiring: {
          on: {
            request: [
              {
                guard: 'isOlderThanFirst',
                actions: ['witness', 'refuseFirst', 'enqueue'],
                description: 'MK3',
              },
              { actions: ['witness', 'enqueue', 'refuse'], description: 'MK3' },
            ],
            relinquish: {
              target: 'locked',
              actions: ['requeue', 'lockFirst', 'vote'],
              description: 'MK9',
            },
            released: {
              target: 'locked',
              actions: ['noteEntries', 'lockFirst', 'vote'],
              description: 'MK10',
            },
          },
        },
      },
    },
  },
});

/** Without the deadlock resolution of section 4: a locked voter does not answer. It deadlocks. */
export const naive = machine.provide({
  guards: { isOlderThanLock: () => false },
  actions: { refuse: node.assign({}) },
});

// Maekawa's algorithm with a request that the application may withdraw. Rules MK11–MK14: README.md

/**
 * The machine with `cancel`. The voters confirm, so that no answer to a withdrawn request counts
 * for the next one.
 */
export const cancellableMachine = extend(
  'cancellable-maekawa',
  machine,
  {
    client: quorumNode.createStateConfig({
      states: {
        wanted: {
          on: {
            cancel: {
              target: 'withdrawing',
              actions: ['withdrawAll', 'forgetRequest'],
              description: 'MK11',
            },
          },
        },
        withdrawing: {
          tags: 'withdrawing',
          always: { guard: 'allConfirmed', target: 'released', description: 'MK13' },
          on: {
            withdrawn: { actions: 'crossOff', description: 'MK13' },
            locked: { description: 'MK13: withdraw gives the vote back' },
            failed: { description: 'MK13: answer to the withdrawn request' },
            inquire: { description: 'MK13: withdraw gives the vote back' },
          },
        },
      },
    }),
    voter: quorumNode.createStateConfig({
      states: {
        locked: {
          on: {
            withdraw: [
              { guard: 'isQueued', actions: ['dequeue', 'confirm'], description: 'MK12' },
              {
                guard: 'queueIsEmpty',
                target: 'free',
                actions: ['lockFirst', 'confirm'],
                description: 'MK12',
              },
              { actions: ['lockFirst', 'vote', 'confirm'], description: 'MK12' },
            ],
          },
        },
        inquiring: {
          on: {
            request: {
              guard: 'isYoungerThanLock',
              actions: ['witness', 'enqueue', 'refuse'],
              description: 'MK14',
            },
            withdraw: [
              { guard: 'isQueued', actions: ['dequeue', 'confirm'], description: 'MK12' },
              {
                guard: 'queueIsEmpty',
                target: 'free',
                actions: ['lockFirst', 'confirm'],
                description: 'MK12',
              },
              { target: 'locked', actions: ['lockFirst', 'vote', 'confirm'], description: 'MK12' },
            ],
            released: {
              guard: 'queueIsEmpty',
              target: 'free',
              actions: ['noteEntries', 'lockFirst'],
              description: 'MK14',
            },
          },
        },
      },
    }),
  },
  { unconfirmed: [] },
);
