/**
 * Termination detection of Dijkstra and Scholten (E. W. Dijkstra, C. S. Scholten: Termination
 * detection for diffusing computations, Information Processing Letters 11:1, 1980). A computation that
 * one node begins, over any connected network, any order; one signal for each message of work. Rules
 * DS1–DS6: README.md
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
import { and, assertEvent, setup, stateIn } from 'xstate';
import { type OptionSchemas, text, time } from '../../options.js';
import type { Command } from '../termination.js';

export type Options = {
  /**
   * How long the work of a node takes, in milliseconds; in real time at least 10. Default 20. The
   * explorer lets it end at any moment.
   */
  readonly work?: number;
  /** The node that begins. Default: the first one. */
  readonly initiator?: NodeId;
};

export const dijkstraScholtenOptions: OptionSchemas<Options> = {
  work: time('how long the work of a node takes'),
  initiator: text('the node that begins the computation'),
};

export type Message = { readonly type: 'work' } | { readonly type: 'signal' };

export interface Input {
  readonly neighbours: readonly NodeId[];
  /** How long the work of a node takes, in milliseconds. */
  readonly work: number;
}

export interface Context extends Input {
  /** How many messages of work of this node are not answered by a signal. */
  readonly unanswered: number;
  /** Whose work made it take part; null where it does not, and at the initiator. */
  readonly parent: NodeId | null;
}

const base = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Command | Received<Message> | Chosen<NodeId>;
    emitted: Effect<Message, { readonly type: 'terminated' }>;
  },
});

const node = base.extend({
  actions: {
    chooseReceiver: base.emit(({ context }) => choose(...context.neighbours)),
    sendWork: base.emit(({ event }) => {
      assertEvent(event, 'chosen');
      return send(event.value, { type: 'work' });
    }),
    countUp: base.assign(({ context }) => ({ unanswered: context.unanswered + 1 })),
    countDown: base.assign(({ context }) => ({ unanswered: context.unanswered - 1 })),
    join: base.assign(({ event }) => {
      assertEvent(event, 'work');
      return { parent: event.from };
    }),
    answer: base.emit(({ event }) => {
      assertEvent(event, 'work');
      return send(event.from, { type: 'signal' });
    }),
    answerParent: base.emit(({ context }) => send(context.parent ?? '', { type: 'signal' })),
    leave: base.assign({ parent: null }),
    announce: base.emit(() => notify({ type: 'terminated' })),
  },
  delays: { work: ({ context }) => context.work },
  guards: { areAllAnswered: ({ context }) => context.unanswered === 0 },
});

const isDone = and([stateIn({ computation: 'passive' }), 'areAllAnswered']);

const active = node.createStateConfig({
  tags: 'active',
  on: {
    distribute: { actions: 'chooseReceiver' },
    chosen: { actions: ['countUp', 'sendWork'], description: 'DS1' },
    work: {},
  },
  after: { work: 'passive' },
});
const passive = node.createStateConfig({ on: { work: 'active' } });

const takesPart = node.createStateConfig({
  on: {
    work: { actions: 'answer', description: 'DS3' },
    signal: { actions: 'countDown', description: 'DS4' },
  },
});

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  unanswered: 0,
  parent: null,
});

export const machine = node.createMachine({
  id: 'dijkstra-scholten',
  context,
  type: 'parallel',
  states: {
    computation: { initial: 'passive', states: { active, passive } },
    detection: {
      initial: 'outside',
      states: {
        outside: { on: { work: { target: 'inside', actions: 'join', description: 'DS2' } } },
        inside: {
          ...takesPart,
          always: {
            guard: isDone,
            target: 'outside',
            actions: ['answerParent', 'leave'],
            description: 'DS5',
          },
        },
      },
    },
  },
});

export const initiator = node.createMachine({
  id: 'dijkstra-scholten-initiator',
  context,
  type: 'parallel',
  states: {
    computation: { initial: 'active', states: { active, passive } },
    detection: {
      initial: 'inside',
      states: {
        inside: {
          ...takesPart,
          always: { guard: isDone, target: 'announced', actions: 'announce', description: 'DS6' },
        },
        announced: { tags: 'announced' },
      },
    },
  },
});
