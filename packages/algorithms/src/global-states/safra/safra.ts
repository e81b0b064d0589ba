/**
 * Safra's termination detection (E. W. Dijkstra: Shmuel Safra's version of termination detection,
 * EWD 998, 1987). A ring of nodes that send each other work over a complete network, any order; n
 * messages per round of the token. Rules SF1–SF6: README.md
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
import { type OptionSchemas, time } from '../../options.js';
import type { Command } from '../termination.js';

export type Options = {
  /**
   * How long the work of a node takes, in milliseconds; in real time at least 10. Default 20. The
   * explorer lets it end at any moment.
   */
  readonly work?: number;
};

export const safraOptions: OptionSchemas<Options> = {
  work: time('how long the work of a node takes'),
};

/** How much more was sent than received, as far as the token has come; and its colour. */
export interface Token {
  readonly count: number;
  readonly black: boolean;
}

export type Message = { readonly type: 'work' } | ({ readonly type: 'token' } & Token);

interface Input {
  readonly peers: readonly NodeId[];
  /** Where the token goes. */
  readonly next: NodeId;
  /** How long the work of a node takes, in milliseconds. */
  readonly work: number;
}

export interface Context extends Input {
  /** The work that this node has sent, less what it has received. */
  readonly count: number;
  /** Whether it has received work since the token left. */
  readonly black: boolean;
  /** The token that it has; null without one. */
  readonly token: Token | null;
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
    chooseReceiver: base.emit(({ context }) => choose(...context.peers)),
    sendWork: base.emit(({ event }) => {
      assertEvent(event, 'chosen');
      return send(event.value, { type: 'work' });
    }),
    countUp: base.assign(({ context }) => ({ count: context.count + 1 })),
    countDown: base.assign(({ context }) => ({ count: context.count - 1, black: true })),
    keepToken: base.assign(({ event }) => {
      assertEvent(event, 'token');
      return { token: { count: event.count, black: event.black } };
    }),
    passToken: base.emit(({ context: { next, token, count, black } }) =>
      send(next, {
        type: 'token',
        count: (token?.count ?? 0) + count,
        black: token?.black === true || black,
      }),
    ),
    sendToken: base.emit(({ context }) =>
      send(context.next, { type: 'token', count: 0, black: false }),
    ),
    whiten: base.assign({ black: false, token: null }),
    announce: base.emit(() => notify({ type: 'terminated' })),
  },
  delays: { work: ({ context }) => context.work },
  guards: {
    isOver: ({ context: { token, count, black } }) =>
      token !== null && !token.black && !black && token.count + count === 0,
  },
});

const isPassive = stateIn({ computation: 'passive' });

const computation = node.createStateConfig({
  initial: 'active',
  states: {
    active: {
      tags: 'active',
      on: {
        distribute: { actions: 'chooseReceiver' },
        chosen: { actions: ['countUp', 'sendWork'], description: 'SF1' },
        work: { actions: 'countDown', description: 'SF2' },
      },
      after: { work: 'passive' },
    },
    passive: { on: { work: { target: 'active', actions: 'countDown', description: 'SF2' } } },
  },
});

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  count: 0,
  black: false,
  token: null,
});

export const machine = node.createMachine({
  id: 'safra',
  context,
  type: 'parallel',
  states: {
    computation,
    detection: {
      initial: 'without',
      states: {
        without: { on: { token: { target: 'holding', actions: 'keepToken' } } },
        holding: {
          always: {
            guard: isPassive,
            target: 'without',
            actions: ['passToken', 'whiten'],
            description: 'SF3',
          },
        },
      },
    },
  },
});

export const initiator = node.createMachine({
  id: 'safra-initiator',
  context,
  type: 'parallel',
  states: {
    computation,
    detection: {
      initial: 'holding',
      states: {
        holding: {
          always: [
            {
              guard: and([isPassive, 'isOver']),
              target: 'announced',
              actions: 'announce',
              description: 'SF5',
            },
            {
              guard: isPassive,
              target: 'probing',
              actions: ['sendToken', 'whiten'],
              description: 'SF4, SF6',
            },
          ],
        },
        probing: { on: { token: { target: 'holding', actions: 'keepToken' } } },
        announced: { tags: 'announced' },
      },
    },
  },
});
