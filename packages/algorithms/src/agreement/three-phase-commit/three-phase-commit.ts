/**
 * Three-phase commit with a backup coordinator (D. Skeen: Nonblocking commit protocols, SIGMOD
 * 1981). Complete network of FIFO channels that reports crashes; nothing is lost, and crashed nodes
 * do not come back. 5(n−1) messages. Rules NBC1–NBC10: README.md
 */
import {
  type Chosen,
  choose,
  type Effect,
  type NodeId,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Command } from '../commit.js';

/**
 * PREPARE asks for a vote, YES and NO are votes. PRECOMMIT and REVERT bring a node into the state of
 * a coordinator that is about to commit, or to abort, and ACK says that it is there. COMMIT and ABORT
 * are the decision. The network sends DOWN when a node has crashed.
 */
export type Message = {
  readonly type:
    | 'prepare'
    | 'yes'
    | 'no'
    | 'precommit'
    | 'revert'
    | 'ack'
    | 'commit'
    | 'abort'
    | 'down';
};

export interface Input {
  readonly self: NodeId;
  /** All nodes, in the order in which they become coordinators; later those that are not down. */
  readonly live: readonly NodeId[];
}

export interface Context extends Input {
  /** At a coordinator: who has not answered. */
  readonly awaiting: readonly NodeId[];
}

const base = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Command | Received<Message> | Chosen<'yes' | 'no'>;
    emitted: Effect<Message>;
  },
});

type Event = { readonly type: string; readonly from?: NodeId };

const without = (ids: readonly NodeId[], { from }: Event): readonly NodeId[] =>
  ids.filter((id) => id !== from);

const othersOf = ({ self, live }: Input): readonly NodeId[] => live.filter((id) => id !== self);

const toOthers = (type: Message['type']) =>
  base.enqueueActions(({ context, enqueue }) => {
    for (const id of othersOf(context)) enqueue.emit(send(id, { type }));
  });

const toCoordinator = (type: Message['type']) =>
  base.emit(({ context: { live } }) => send(live[0] ?? '', { type }));

const node = base.extend({
  actions: {
    awaitOthers: base.assign(({ context }) => ({ awaiting: othersOf(context) })),
    crossOff: base.assign(({ context, event }) => ({
      awaiting: without(context.awaiting, event),
    })),
    strike: base.assign(({ context: { live, awaiting }, event }) => ({
      live: without(live, event),
      awaiting: without(awaiting, event),
    })),
    /** A node becomes coordinator when all before it are down. */
    follow: base.assign(({ context: { live }, event }) => {
      assertEvent(event, ['precommit', 'revert']);
      return { live: live.slice(live.indexOf(event.from)) };
    }),
    vote: base.emit(() => choose('yes', 'no')),
    prepareAll: toOthers('prepare'),
    precommitAll: toOthers('precommit'),
    revertAll: toOthers('revert'),
    commitAll: toOthers('commit'),
    abortAll: toOthers('abort'),
    sendYes: toCoordinator('yes'),
    sendNo: toCoordinator('no'),
    ack: base.emit(({ event }) => {
      assertEvent(event, ['precommit', 'revert']);
      return send(event.from, { type: 'ack' });
    }),
  },
  guards: {
    isYes: ({ event }) => {
      assertEvent(event, 'chosen');
      return event.value === 'yes';
    },
    /** It was not the coordinator, and is when the sender is struck. */
    succeeds: ({ context: { self, live }, event }) =>
      live[0] !== self && without(live, event)[0] === self,
    isOld: ({ context, event }) => {
      assertEvent(event, ['precommit', 'revert', 'commit', 'abort']);
      return !context.live.includes(event.from);
    },
    haveAllAnswered: ({ context: { self, live, awaiting } }) =>
      live[0] === self && awaiting.length === 0,
  },
});

const old = { guard: 'isOld', description: 'NBC9: of a coordinator that is down' } as const;
const struck = { actions: 'strike', description: 'NBC6' } as const;
const aborting = { target: 'aborted', actions: ['strike', 'abortAll'] } as const;

/** What a coordinator does that is about to commit. */
const committing = {
  always: {
    guard: 'haveAllAnswered',
    target: 'committed',
    actions: 'commitAll',
    description: 'NBC5',
  },
  ack: { actions: 'crossOff', description: 'NBC5' },
} as const;

const context = ({ input }: { readonly input: Input }): Context => ({ ...input, awaiting: [] });
export const coordinator = node.createMachine({
  id: 'three-phase-commit-coordinator',
  context,
  initial: 'initial',
  states: {
    initial: {
      on: {
        begin: {
          target: 'collecting',
          actions: ['awaitOthers', 'prepareAll'],
          description: 'NBC1',
        },
        down: { ...aborting, description: 'NBC3' },
      },
    },
    collecting: {
      tags: 'waiting',
      always: {
        guard: 'haveAllAnswered',
        target: 'precommitted',
        actions: ['awaitOthers', 'precommitAll'],
        description: 'NBC3',
      },
      on: {
        yes: { actions: 'crossOff', description: 'NBC3' },
        no: { target: 'aborted', actions: 'abortAll', description: 'NBC3' },
        down: { ...aborting, description: 'NBC3' },
      },
    },
    precommitted: {
      tags: 'waiting',
      always: committing.always,
      on: { ack: committing.ack, down: struck },
    },
    committed: { tags: 'decided', on: { down: { description: 'NBC6: it has decided' } } },
    aborted: {
      tags: 'decided',
      on: {
        yes: { description: 'NBC3: too late' },
        no: { description: 'NBC3: too late' },
        down: { description: 'NBC6: it has decided' },
      },
    },
  },
});

export const participant = node.createMachine({
  id: 'three-phase-commit-participant',
  context,
  initial: 'working',
  states: {
    working: {
      on: {
        prepare: { target: 'voting', actions: 'vote', description: 'NBC2' },
        revert: { target: 'aborted', actions: 'ack', description: 'NBC8' },
        abort: { target: 'aborted', description: 'NBC3' },
        down: [{ guard: 'succeeds', ...aborting, description: 'NBC7' }, struck],
      },
    },
    voting: {
      on: {
        chosen: [
          { guard: 'isYes', target: 'prepared', actions: 'sendYes', description: 'NBC2' },
          { target: 'aborted', actions: 'sendNo', description: 'NBC2' },
        ],
      },
    },
    prepared: {
      tags: 'waiting',
      always: {
        guard: 'haveAllAnswered',
        target: 'aborted',
        actions: 'abortAll',
        description: 'NBC8',
      },
      on: {
        precommit: [
          old,
          { target: 'precommitted', actions: ['follow', 'ack'], description: 'NBC4' },
        ],
        revert: [old, { actions: ['follow', 'ack'], description: 'NBC8' }],
        ack: { actions: 'crossOff', description: 'NBC8' },
        abort: [old, { target: 'aborted', description: 'NBC3' }],
        down: [
          {
            guard: 'succeeds',
            actions: ['strike', 'awaitOthers', 'revertAll'],
            description: 'NBC7',
          },
          struck,
        ],
      },
    },
    precommitted: {
      tags: 'waiting',
      always: committing.always,
      on: {
        precommit: [old, { actions: ['follow', 'ack'], description: 'NBC4' }],
        revert: [old, { target: 'prepared', actions: ['follow', 'ack'], description: 'NBC8' }],
        ack: committing.ack,
        commit: [old, { target: 'committed', description: 'NBC5' }],
        down: [
          {
            guard: 'succeeds',
            actions: ['strike', 'awaitOthers', 'precommitAll'],
            description: 'NBC7',
          },
          struck,
        ],
      },
    },
    committed: {
      tags: 'decided',
      on: {
        precommit: { actions: 'ack', description: 'NBC10' },
        revert: { description: 'NBC9: of a coordinator that is down' },
        commit: { description: 'NBC10: it knows' },
        down: [
          { guard: 'succeeds', actions: ['strike', 'commitAll'], description: 'NBC10' },
          struck,
        ],
      },
    },
    aborted: {
      tags: 'decided',
      on: {
        prepare: { description: 'NBC9: of a coordinator that is down' },
        precommit: { description: 'NBC9: of a coordinator that is down' },
        revert: { actions: 'ack', description: 'NBC10' },
        abort: { description: 'NBC10: it knows' },
        down: [
          { guard: 'succeeds', actions: ['strike', 'abortAll'], description: 'NBC10' },
          struck,
        ],
      },
    },
  },
});
