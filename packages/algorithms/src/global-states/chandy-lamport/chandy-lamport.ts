/**
 * Chandy–Lamport snapshot (K. M. Chandy, L. Lamport, ACM TOCS 3:1, 1985). Connected network of FIFO
 * channels, nothing is lost; one marker for each channel: 2e. Rules CL1–CL5: README.md
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
import { withNode } from '../../waves/wave.js';
import type { Command } from '../bank.js';

export type Options = {
  /** The node that takes the snapshot. Default: the network's first node. */
  readonly initiator?: NodeId;
  /** How many coins there are. Default 2. */
  readonly coins?: number;
};

export const chandyLamportOptions: OptionSchemas<Options> = {
  initiator: text('the node that takes the snapshot'),
  coins: whole(1, 'how many coins there are'),
};

/** COIN is of the bank; MARKER separates what was sent before a record from what comes after it. */
export type Message = { readonly type: 'coin' | 'marker' };

/** The application is told what its node has recorded. */
type Notification = {
  readonly type: 'recorded';
  readonly coins: number;
  readonly channels: readonly NodeId[];
};

interface Input {
  readonly neighbours: readonly NodeId[];
  readonly coins: number;
}

interface Context extends Input {
  /** The coins that the node had when it recorded its state; 0 before. */
  readonly recorded: number;
  /** The channels that are being recorded, by their senders: no marker has come from them. */
  readonly open: readonly NodeId[];
  /** The recorded coins of all channels, by their senders. */
  readonly channels: readonly NodeId[];
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

const pay = base.emit(({ event }) => {
  assertEvent(event, 'chosen');
  return send(event.value, { type: 'coin' });
});

const record = base.assign(({ context }) => ({
  recorded: context.coins,
  open: context.neighbours,
}));

const sendMarkers = base.enqueueActions(({ context, enqueue }) => {
  for (const id of context.neighbours) enqueue.emit(send(id, { type: 'marker' }));
});

const closeChannel = base.assign(({ context, event }) => {
  assertEvent(event, 'marker');
  return { open: context.open.filter((id) => id !== event.from) };
});

const recordCoin = base.assign(({ context, event }) => {
  assertEvent(event, 'coin');
  return { channels: withNode(context.channels, event.from) };
});

const node = base.extend({
  actions: {
    chooseReceiver: base.emit(({ context }) => choose(...context.neighbours)),
    pay,
    spend: base.assign(({ context }) => ({ coins: context.coins - 1 })),
    earn: base.assign(({ context }) => ({ coins: context.coins + 1 })),
    record,
    sendMarkers,
    closeChannel,
    recordCoin,
    report: base.emit(({ context: { recorded, channels } }) =>
      notify({ type: 'recorded', coins: recorded, channels }),
    ),
  },
  guards: {
    hasCoins: ({ context }) => context.coins > 0,
    isOpen: ({ context, event }) => {
      assertEvent(event, 'coin');
      return context.open.includes(event.from);
    },
    allClosed: ({ context }) => context.open.length === 0,
  },
});

/** The application: it knows nothing of snapshots. */
const bank = node.createStateConfig({
  on: {
    transfer: { guard: 'hasCoins', actions: 'chooseReceiver' },
    chosen: { actions: ['spend', 'pay'] },
    coin: { actions: 'earn' },
  },
});

const white = node.createStateConfig({
  on: {
    marker: {
      target: 'recording',
      actions: ['record', 'closeChannel', 'sendMarkers'],
      description: 'CL2',
    },
  },
});

const recording = node.createStateConfig({
  tags: ['recorded', 'waiting'],
  always: { guard: 'allClosed', target: 'completed', actions: 'report', description: 'CL5' },
  on: {
    marker: { actions: 'closeChannel', description: 'CL4' },
    coin: { guard: 'isOpen', actions: 'recordCoin', description: 'CL3' },
  },
});

const completed = node.createStateConfig({ tags: ['recorded', 'completed'] });

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  recorded: 0,
  open: [],
  channels: [],
});

export const machine = node.createMachine({
  id: 'chandy-lamport',
  context,
  type: 'parallel',
  states: { bank, snapshot: { initial: 'white', states: { white, recording, completed } } },
});

export const initiator = node.createMachine({
  id: 'chandy-lamport-initiator',
  context,
  type: 'parallel',
  states: {
    bank,
    snapshot: {
      initial: 'white',
      states: {
        white: {
          on: {
            snapshot: {
              target: 'recording',
              actions: ['record', 'sendMarkers'],
              description: 'CL1',
            },
          },
        },
        recording,
        completed,
      },
    },
  },
});
