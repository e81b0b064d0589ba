/**
 * Two-phase commit (J. N. Gray: Notes on Data Base Operating Systems, 1978, section 5.8.3). Star of
 * a coordinator and its participants, reliable channels of any order; nodes may crash and come back
 * with their logs. 3(n−1) messages. Rules TPC1–TPC9: README.md
 */
import { choose, type NodeId, send } from '@conclave/core/protocol';
import { setup } from 'xstate';
import { type OptionSchemas, time } from '../../options.js';
import { isYes, senderOf, type TwoPhases, type Types, without } from '../commit.js';

export type Options = {
  /**
   * How long, in milliseconds, the coordinator waits for votes, and a participant for the question;
   * in real time at least 10. Default 1000.
   */
  readonly timeout?: number;
};

export const twoPhaseCommitOptions: OptionSchemas<Options> = {
  timeout: time('how long the coordinator waits for votes, and a participant for the question'),
};

/** The latest record of a node, on stable storage. */
type Log = 'none' | 'begun' | 'prepared' | 'committed' | 'aborted';

interface Input {
  /** The participants, or the coordinator. */
  readonly peers: readonly NodeId[];
  readonly timeout: number;
  readonly log: Log;
}

type Context = Types<Input, TwoPhases>['context'];

const base = setup({ types: {} as Types<Input, TwoPhases> });

const toAll = (type: TwoPhases['type']) =>
  base.enqueueActions(({ context, enqueue }) => {
    for (const peer of context.peers) enqueue.emit(send(peer, { type }));
  });

/** Those that have voted no need not be told. */
const abortVoters = base.enqueueActions(({ context: { peers, awaiting }, enqueue }) => {
  for (const peer of peers)
    if (!awaiting.includes(peer)) enqueue.emit(send(peer, { type: 'abort' }));
});

const toSender = (type: TwoPhases['type']) =>
  base.emit(({ event }) => send(senderOf(event), { type }));

const write = (log: Log) => base.assign({ log });

const node = base.extend({
  actions: {
    awaitVotes: base.assign(({ context }) => ({ awaiting: context.peers })),
    crossOff: base.assign(({ context: { awaiting }, event }) => ({
      awaiting: without(awaiting, event),
    })),
    prepareAll: toAll('prepare'),
    commitAll: toAll('commit'),
    abortAll: toAll('abort'),
    abortVoters,
    answerCommit: toSender('commit'),
    answerAbort: toSender('abort'),
    vote: base.emit(() => choose('yes', 'no')),
    sendYes: toAll('yes'),
    sendNo: toAll('no'),
    answerNo: toSender('no'),
    logBegin: write('begun'),
    logYes: write('prepared'),
    logCommit: write('committed'),
    logAbort: write('aborted'),
  },
  guards: {
    isNew: ({ context }) => context.log === 'none',
    isPrepared: ({ context }) => context.log === 'prepared',
    hasCommitted: ({ context }) => context.log === 'committed',
    isLastVote: ({ context: { awaiting }, event }) => without(awaiting, event).length === 0,
    isYes,
  },
  delays: { timeout: ({ context }) => context.timeout },
});

const context = ({ input }: { readonly input: Input }): Context => ({ ...input, awaiting: [] });

export const coordinator = node.createMachine({
  id: 'two-phase-commit-coordinator',
  context,
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'isNew', target: 'initial' },
        { guard: 'hasCommitted', target: 'committed', actions: 'commitAll', description: 'TPC8' },
        { target: 'aborted', actions: ['logAbort', 'abortAll'], description: 'TPC8' },
      ],
    },
    initial: {
      on: {
        begin: {
          target: 'collecting',
          actions: ['logBegin', 'awaitVotes', 'prepareAll'],
          description: 'TPC1',
        },
      },
    },
    collecting: {
      tags: 'waiting',
      on: {
        yes: [
          {
            guard: 'isLastVote',
            target: 'committed',
            actions: ['logCommit', 'commitAll'],
            description: 'TPC3',
          },
          { actions: 'crossOff', description: 'TPC3' },
        ],
        no: { target: 'aborted', actions: ['logAbort', 'abortVoters'], description: 'TPC4' },
      },
      after: {
        timeout: { target: 'aborted', actions: ['logAbort', 'abortVoters'], description: 'TPC5' },
      },
    },
    committed: {
      tags: 'decided',
      on: { yes: { actions: 'answerCommit', description: 'TPC9' } },
    },
    aborted: {
      tags: 'decided',
      on: {
        yes: { actions: 'answerAbort', description: 'TPC9' },
        no: { description: 'TPC4: too late' },
      },
    },
  },
});

export const participant = node.createMachine({
  id: 'two-phase-commit-participant',
  context,
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'isNew', target: 'working' },
        { guard: 'isPrepared', target: 'prepared', actions: 'sendYes', description: 'TPC8' },
        { guard: 'hasCommitted', target: 'committed' },
        { target: 'aborted' },
      ],
    },
    working: {
      on: {
        prepare: { target: 'voting', actions: 'vote', description: 'TPC2' },
        abort: { target: 'aborted', actions: 'logAbort', description: 'TPC6' },
      },
      after: { timeout: { target: 'aborted', actions: 'logAbort', description: 'TPC7' } },
    },
    voting: {
      on: {
        chosen: [
          {
            guard: 'isYes',
            target: 'prepared',
            actions: ['logYes', 'sendYes'],
            description: 'TPC2',
          },
          { target: 'aborted', actions: ['logAbort', 'sendNo'], description: 'TPC2' },
        ],
      },
    },
    prepared: {
      tags: 'waiting',
      on: {
        prepare: { description: 'TPC2: a duplicate' },
        commit: { target: 'committed', actions: 'logCommit', description: 'TPC6' },
        abort: { target: 'aborted', actions: 'logAbort', description: 'TPC6' },
      },
    },
    committed: {
      tags: 'decided',
      on: {
        prepare: { description: 'TPC2: a duplicate' },
        commit: { description: 'TPC6: it knows' },
      },
    },
    aborted: {
      tags: 'decided',
      on: {
        prepare: { actions: 'answerNo', description: 'TPC7' },
        abort: { description: 'TPC6: it knows' },
      },
    },
  },
});
