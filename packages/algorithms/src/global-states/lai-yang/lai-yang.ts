/**
 * Lai–Yang snapshot (T. H. Lai, T. H. Yang, Information Processing Letters 25:3, 1987). Connected
 * network, any order, nothing is lost; messages have the colour of their sender. At most 2e messages
 * more. Rules LY1–LY4: README.md
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
import { type OptionSchemas, text, whole } from '../../options.js';
import type { Command } from '../bank.js';

export type Options = {
  /** The node that takes the snapshot. Default: the network's first node. */
  readonly initiator?: NodeId;
  /** How many coins there are. Default 2. */
  readonly coins?: number;
};

export const laiYangOptions: OptionSchemas<Options> = {
  initiator: text('the node that takes the snapshot'),
  coins: whole(1, 'how many coins there are'),
};

/** COIN is of the bank, and red after the record of its sender; RED tells of that record. */
export type Message = { readonly type: 'coin'; readonly red: boolean } | { readonly type: 'red' };

/** What a node has recorded: its coins, and how many white ones it has sent and received. */
type Notification = {
  readonly type: 'recorded';
  readonly coins: number;
  readonly sent: number;
  readonly received: number;
};

interface Input {
  readonly neighbours: readonly NodeId[];
  readonly coins: number;
}

interface Context extends Input {
  /** The coins that a red node had when it recorded its state; null at a white one. */
  readonly recorded: number | null;
  /** The coins that the node has sent, and received, while it was white. */
  readonly sent: number;
  readonly received: number;
}

export type Event = Command | Received<Message> | Chosen<NodeId>;

const base = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<Message, Notification>;
  },
});

const node = base.extend({
  actions: {
    chooseReceiver: base.emit(({ context }) => choose(...context.neighbours)),
    pay: base.emit(({ context, event }) => {
      assertEvent(event, 'chosen');
      return send(event.value, { type: 'coin', red: context.recorded !== null });
    }),
    spend: base.assign(({ context }) => ({ coins: context.coins - 1 })),
    earn: base.assign(({ context }) => ({ coins: context.coins + 1 })),
    countSent: base.assign(({ context }) => ({ sent: context.sent + 1 })),
    countReceived: base.assign(({ context }) => ({ received: context.received + 1 })),
    record: base.assign(({ context }) => ({ recorded: context.coins })),
    tellAll: base.enqueueActions(({ context, enqueue }) => {
      for (const id of context.neighbours) enqueue.emit(send(id, { type: 'red' }));
    }),
    report: base.emit(({ context: { coins, sent, received } }) =>
      notify({ type: 'recorded', coins, sent, received }),
    ),
  },
  guards: {
    hasCoins: ({ context }) => context.coins > 0,
    isRed: ({ event }) => {
      assertEvent(event, 'coin');
      return event.red;
    },
  },
});

const recording = {
  target: 'red',
  actions: ['record', 'report', 'tellAll'],
} as const;

const counting = {
  received: { actions: 'countReceived', description: 'LY4' },
  sent: { actions: 'countSent', description: 'LY4' },
} as const;

const white = node.createStateConfig({
  on: {
    red: { ...recording, description: 'LY3' },
    coin: [{ guard: 'isRed', ...recording, description: 'LY3' }, counting.received],
    chosen: counting.sent,
  },
});

const red = node.createStateConfig({
  tags: ['recorded', 'completed'],
  on: { red: { description: 'LY3: it has recorded' } },
});

/** The application, after what the snapshot does with the same message. */
const bank = node.createStateConfig({
  on: {
    transfer: { guard: 'hasCoins', actions: 'chooseReceiver' },
    chosen: { actions: ['spend', 'pay'], description: 'LY2' },
    coin: { actions: 'earn' },
  },
});

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  recorded: null,
  sent: 0,
  received: 0,
});

export const machine = node.createMachine({
  id: 'lai-yang',
  context,
  type: 'parallel',
  states: { snapshot: { initial: 'white', states: { white, red } }, bank },
});

export const initiator = node.createMachine({
  id: 'lai-yang-initiator',
  context,
  type: 'parallel',
  states: {
    snapshot: {
      initial: 'white',
      states: {
        white: {
          on: {
            snapshot: { ...recording, description: 'LY1' },
            coin: counting.received,
            chosen: counting.sent,
          },
        },
        red,
      },
    },
    bank,
  },
});
