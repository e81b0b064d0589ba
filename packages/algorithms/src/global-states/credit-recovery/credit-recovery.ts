/**
 * Termination detection by credit recovery (F. Mattern: Global quiescence detection based on credit
 * distribution and recovery, Information Processing Letters 30:4, 1989; S.-T. Huang: Detecting
 * termination of distributed computations by external agents, ICDCS 1989). A computation that one
 * node begins, over a complete network, any order; at most one message for each message of work.
 * Rules CR1–CR6: README.md
 */
import {
  type Chosen,
  choose,
  type Effect,
  type NodeId,
  notify,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { type OptionSchemas, text, time } from '../../options.js';
import type { Command } from '../termination.js';

export type Options = {
  /**
   * How long the work of a node takes, in milliseconds; in real time at least 10. Default 20. The
   * explorer lets it end at any moment.
   */
  readonly work?: number;
  /** The node that begins, and gets all credit back. Default: the first one. */
  readonly initiator?: NodeId;
};

export const creditRecoveryOptions: OptionSchemas<Options> = {
  work: time('how long the work of a node takes'),
  initiator: text('the node that begins the computation, and gets all credit back'),
};

/** Both carry a credit of 2^−exponent. */
export type Message = { readonly type: 'work' | 'credit'; readonly exponent: number };

export interface Input {
  readonly peers: readonly NodeId[];
  readonly initiator: NodeId;
  /** How long the work of a node takes, in milliseconds. */
  readonly work: number;
}

export interface Context extends Input {
  /** An active node has a credit of 2^−exponent; null at a passive one, which has none. */
  readonly exponent: number | null;
  /** At the initiator: the credit that is not back is the sum of 2^−exponent over these. */
  readonly debt: readonly number[];
}

/**
 * Exactly 2^−exponent less, as one subtracts binary numbers by hand: the last digit before it is
 * borrowed, 2^−1 − 2^−3 = 2^−2 + 2^−3. More than there is comes back only where messages are
 * duplicated.
 */
function less(debt: readonly number[], exponent: number): readonly number[] {
  const borrowed = debt.findLast((digit) => digit <= exponent);
  if (borrowed === undefined) return debt;
  const rest = Array.from({ length: exponent - borrowed }, (_, at) => borrowed + 1 + at);
  const [before, behind] = [
    debt.filter((digit) => digit < borrowed),
    debt.filter((digit) => digit > exponent),
  ];
  return [...before, ...rest, ...behind];
}

const base = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Command | Received<Message> | Chosen<NodeId>;
    emitted: Effect<Message, { readonly type: 'terminated' }>;
  },
});

const halve = base.assign(({ context: { exponent } }) => ({ exponent: (exponent ?? 0) + 1 }));

const sendWork = base.emit(({ context: { exponent }, event }) => {
  assertEvent(event, 'chosen');
  return send(event.value, { type: 'work', exponent: exponent ?? 0 });
});

const passOn = base.emit(({ context: { initiator }, event }) => {
  assertEvent(event, 'work');
  return send(initiator, { type: 'credit', exponent: event.exponent });
});

const giveBack = base.emit(({ context: { initiator, exponent } }) =>
  send(initiator, { type: 'credit', exponent: exponent ?? 0 }),
);

const node = base.extend({
  actions: {
    chooseReceiver: base.emit(({ context }) => choose(...context.peers)),
    halve,
    sendWork,
    keep: base.assign(({ event }) => {
      assertEvent(event, 'work');
      return { exponent: event.exponent };
    }),
    passOn,
    giveBack,
    haveNone: base.assign({ exponent: null }),
    recover: base.assign(({ context, event }) => {
      assertEvent(event, ['work', 'credit']);
      return { debt: less(context.debt, event.exponent) };
    }),
    recoverOwn: base.assign(({ context }) => ({
      debt: less(context.debt, context.exponent ?? 0),
    })),
    announce: base.emit(() => notify({ type: 'terminated' })),
  },
  delays: { work: ({ context }) => context.work },
  guards: { isAllBack: ({ context }) => context.debt.length === 0 },
});

const sending = {
  distribute: { actions: 'chooseReceiver' },
  chosen: { actions: ['halve', 'sendWork'], description: 'CR1' },
} as const;

const passive = node.createStateConfig({
  on: { work: { target: 'active', actions: 'keep', description: 'CR2' } },
});

export const machine = node.createMachine({
  id: 'credit-recovery',
  context: ({ input }) => ({ ...input, exponent: null, debt: [] }),
  initial: 'passive',
  states: {
    active: {
      tags: 'active',
      on: { ...sending, work: { actions: 'passOn', description: 'CR3' } },
      after: {
        work: { target: 'passive', actions: ['giveBack', 'haveNone'], description: 'CR4' },
      },
    },
    passive,
  },
});

export const initiator = node.createMachine({
  id: 'credit-recovery-initiator',
  context: ({ input }) => ({ ...input, exponent: 0, debt: [0] }),
  type: 'parallel',
  states: {
    computation: {
      initial: 'active',
      states: {
        active: {
          tags: 'active',
          on: { ...sending, work: { actions: 'recover', description: 'CR3' } },
          after: {
            work: { target: 'passive', actions: ['recoverOwn', 'haveNone'], description: 'CR4' },
          },
        },
        passive,
      },
    },
    detection: {
      initial: 'collecting',
      states: {
        collecting: {
          always: {
            guard: 'isAllBack',
            target: 'announced',
            actions: 'announce',
            description: 'CR6',
          },
          on: { credit: { actions: 'recover', description: 'CR5' } },
        },
        announced: { tags: 'announced' },
      },
    },
  },
});
