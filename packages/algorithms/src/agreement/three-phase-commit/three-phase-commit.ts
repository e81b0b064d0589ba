/**
 * Three-phase commit with a backup coordinator (D. Skeen: Nonblocking commit protocols, SIGMOD
 * 1981). Complete network of FIFO channels that reports crashes; nothing is lost, and crashed nodes
 * do not come back. 5(n−1) messages. Rules NBC1–NBC10: README.md
 */
import { choose, type NodeId, send } from '@conclave/core/protocol';
import { setup } from 'xstate';
import { isYes, senderOf, type TwoPhases, type Types, without } from '../commit.js';

/**
 * PRECOMMIT and REVERT bring a node into the state of a coordinator that is about to commit, or to
 * abort, and ACK says that it is there. The network sends DOWN when a node has crashed.
 */
export interface Message {
  readonly type: TwoPhases['type'] | 'precommit' | 'revert' | 'ack' | 'down';
}

interface Input {
  readonly self: NodeId;
  /** All nodes, in the order in which they become coordinators; later those that are not down. */
  readonly live: readonly NodeId[];
}

export type Context = Types<Input, Message>['context'];

const base = setup({ types: {} as Types<Input, Message> });

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
    crossOff: base.assign(({ context: { awaiting }, event }) => ({
      awaiting: without(awaiting, event),
    })),
    strike: base.assign(({ context: { live, awaiting }, event }) => ({
      live: without(live, event),
      awaiting: without(awaiting, event),
    })),
    /** A node becomes coordinator when all before it are down. */
    follow: base.assign(({ context: { live }, event }) => ({
      live: live.slice(live.indexOf(senderOf(event))),
    })),
    vote: base.emit(() => choose('yes', 'no')),
    prepareAll: toOthers('prepare'),
    precommitAll: toOthers('precommit'),
    revertAll: toOthers('revert'),
    commitAll: toOthers('commit'),
    abortAll: toOthers('abort'),
    sendYes: toCoordinator('yes'),
    sendNo: toCoordinator('no'),
    ack: base.emit(({ event }) => send(senderOf(event), { type: 'ack' })),
  },
  guards: {
    isYes,
    /** It was not the coordinator, and is when the sender is struck. */
    succeeds: ({ context: { self, live }, event }) =>
      live[0] !== self && without(live, event)[0] === self,
    isOld: ({ context: { live }, event }) => !live.includes(senderOf(event)),
    haveAllAnswered: ({ context: { self, live, awaiting } }) =>
      live[0] === self && awaiting.length === 0,
  },
});

// what several transitions have in common
const old = { guard: 'isOld', description: 'NBC9: of a coordinator that is down' } as const;
const late = { description: 'NBC3: too late' } as const;
const decided = { description: 'NBC6: it has decided' } as const;
const struck = { actions: 'strike', description: 'NBC6' } as const;
const takeover = { guard: 'succeeds', description: 'NBC7' } as const;
const decidedTakeover = { guard: 'succeeds', description: 'NBC10' } as const;
const aborting = { target: 'aborted', actions: ['strike', 'abortAll'] } as const;
const following = { actions: ['follow', 'ack'] } as const;
const whenAll = { guard: 'haveAllAnswered' } as const;
const committing = { target: 'committed', actions: 'commitAll', description: 'NBC5' } as const;

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
        ...whenAll,
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
      always: { ...whenAll, ...committing },
      on: { ack: { actions: 'crossOff', description: 'NBC5' }, down: struck },
    },
    committed: { tags: 'decided', on: { down: decided } },
    aborted: { tags: 'decided', on: { yes: late, no: late, down: decided } },
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
        down: [{ ...takeover, ...aborting }, struck],
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
      always: { ...whenAll, target: 'aborted', actions: 'abortAll', description: 'NBC8' },
      on: {
        precommit: [old, { target: 'precommitted', ...following, description: 'NBC4' }],
        revert: [old, { ...following, description: 'NBC8' }],
        ack: { actions: 'crossOff', description: 'NBC8' },
        abort: [old, { target: 'aborted', description: 'NBC3' }],
        down: [{ ...takeover, actions: ['strike', 'awaitOthers', 'revertAll'] }, struck],
      },
    },
    precommitted: {
      tags: 'waiting',
      always: { ...whenAll, ...committing },
      on: {
        precommit: [old, { ...following, description: 'NBC4' }],
        revert: [old, { target: 'prepared', ...following, description: 'NBC8' }],
        ack: { actions: 'crossOff', description: 'NBC5' },
        commit: [old, { target: 'committed', description: 'NBC5' }],
        down: [{ ...takeover, actions: ['strike', 'awaitOthers', 'precommitAll'] }, struck],
      },
    },
    committed: {
      tags: 'decided',
      on: {
        precommit: { actions: 'ack', description: 'NBC10' },
        revert: { description: 'NBC9: of a coordinator that is down' },
        commit: { description: 'NBC10: it knows' },
        down: [{ ...decidedTakeover, actions: ['strike', 'commitAll'] }, struck],
      },
    },
    aborted: {
      tags: 'decided',
      on: {
        prepare: { description: 'NBC9: of a coordinator that is down' },
        precommit: { description: 'NBC9: of a coordinator that is down' },
        revert: { actions: 'ack', description: 'NBC10' },
        abort: { description: 'NBC10: it knows' },
        down: [{ ...decidedTakeover, actions: ['strike', 'abortAll'] }, struck],
      },
    },
  },
});
