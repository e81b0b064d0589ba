/**
 * Root election of FireWire, the tree identification of IEEE 1394. Tree, FIFO; 2(n−1) messages to
 * find the root without contention, 2(n−1) or more to start and to announce. Rules FW1–FW10:
 * README.md
 */
import { draw, type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { type OptionSchemas, oneOf, time } from '../../options.js';
import type { Command } from '../election.js';

export type Options = {
  /**
   * How contention ends: `random`, by waits of random length, as in the standard; or `id`, the
   * larger id wins. Default `random`.
   */
  readonly tieBreak?: 'random' | 'id';
  /**
   * How long a node waits before it asks its last neighbour, in milliseconds; in real time at least
   * 10. Default 10.
   */
  readonly pause?: number;
  /**
   * The two waits after contention, in milliseconds; in real time at least 10. The standard has
   * nanoseconds. Default 240 and 570.
   */
  readonly short?: number;
  readonly long?: number;
};

export const firewireOptions: OptionSchemas<Options> = {
  tieBreak: oneOf(
    ['random', 'id'],
    'how contention ends: random, by waits of random length, or id, the larger id wins',
  ),
  pause: time('how long a node waits before it asks its last neighbour'),
  short: time('the short wait after contention'),
  long: time('the long wait after contention'),
};

/**
 * BUS-RESET starts the election at all nodes. BE-MY-PARENT and YOU-ARE-MY-CHILD are those of the
 * standard. ELECTED announces the root.
 */
export type Message =
  | { readonly type: 'bus-reset' }
  | { readonly type: 'be-my-parent' }
  | { readonly type: 'you-are-my-child' }
  | { readonly type: 'elected'; readonly id: NodeId };

export interface Input {
  readonly self: NodeId;
  readonly neighbours: readonly NodeId[];
  /**
   * How long a node that has one neighbour left waits for its request before it asks, and the two
   * waits after contention; in milliseconds.
   */
  readonly pause: number;
  readonly short: number;
  readonly long: number;
}

interface Context extends Input {
  readonly children: readonly NodeId[];
  readonly leader: NodeId | null;
}

/** The answer of the host to the choice of a wait. */
type Wait = { readonly type: 'chosen'; readonly value: 'short' | 'long' };

export type Event = Command | Wait | Received<Message>;

/** The neighbours that are not children. */
const left = ({ neighbours, children }: Context) =>
  neighbours.filter((id) => !children.includes(id));

const base = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

/** To all neighbours except the one from which it came. */
const reset = base.enqueueActions(({ context, event, enqueue }) => {
  for (const id of context.neighbours)
    if (event.type === 'elect' || ('from' in event && event.from !== id))
      enqueue.emit(send(id, { type: 'bus-reset' }));
});

const adopt = base.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'be-my-parent');
  enqueue.assign({ children: [...context.children, event.from] });
  enqueue.emit(send(event.from, { type: 'you-are-my-child' }));
});

const ask = base.enqueueActions(({ context, enqueue }) => {
  for (const id of left(context)) enqueue.emit(send(id, { type: 'be-my-parent' }));
});

const offerWaits = base.emit(draw(['short', 'long']));

const win = base.assign(({ context }) => ({ leader: context.self }));

const learn = base.assign(({ event }) => {
  assertEvent(event, 'elected');
  return { leader: event.id };
});

const announce = base.enqueueActions(({ context, enqueue }) => {
  for (const id of context.children)
    enqueue.emit(send(id, { type: 'elected', id: context.leader ?? context.self }));
});

const node = base.extend({
  actions: { reset, adopt, ask, offerWaits, win, learn, announce },
  guards: {
    noneIsLeft: ({ context }) => left(context).length === 0,
    oneIsLeft: ({ context }) => left(context).length === 1,
    isShort: ({ event }) => {
      assertEvent(event, 'chosen');
      return event.value === 'short';
    },
    isLarger: ({ context, event }) => {
      assertEvent(event, 'be-my-parent');
      return context.self > event.from;
    },
  },
  delays: {
    pause: ({ context }) => context.pause,
    short: ({ context }) => context.short,
    long: ({ context }) => context.long,
  },
});

const awake = {
  elect: { description: 'FW1: it takes part already' },
  'bus-reset': { description: 'FW2: two waves meet' },
} as const;
const settled = { elect: { description: 'FW1: it takes part already' } } as const;
const decided = { elect: { description: 'FW1: the election is decided' } } as const;

const asleep = node.createStateConfig({
  on: {
    elect: { target: 'collecting', actions: 'reset', description: 'FW1' },
    'bus-reset': { target: 'collecting', actions: 'reset', description: 'FW2' },
  },
});

const collecting = node.createStateConfig({
  tags: 'waiting',
  on: { ...awake, 'be-my-parent': { actions: 'adopt', description: 'FW3' } },
  always: [
    { guard: 'noneIsLeft', target: 'root', actions: ['win', 'announce'], description: 'FW6' },
    { guard: 'oneIsLeft', target: 'ready', description: 'FW4' },
  ],
});

const ready = node.createStateConfig({
  tags: 'waiting',
  on: {
    ...awake,
    'be-my-parent': { target: 'root', actions: ['adopt', 'win', 'announce'], description: 'FW6' },
  },
  after: { pause: { target: 'asking', actions: 'ask', description: 'FW4' } },
});

const child = node.createStateConfig({
  tags: 'waiting',
  on: {
    ...settled,
    elected: { target: 'follower', actions: ['learn', 'announce'], description: 'FW10' },
  },
});

const root = node.createStateConfig({ tags: ['leader', 'decided'], on: decided });
const follower = node.createStateConfig({ tags: 'decided', on: decided });

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  children: [],
  leader: null,
});

/** Contention ends by chance. */
export const machine = node.createMachine({
  id: 'firewire',
  context,
  initial: 'asleep',
  states: {
    asleep,
    collecting,
    ready,
    asking: {
      tags: ['waiting', 'asking'],
      on: {
        ...awake,
        'you-are-my-child': { target: 'child', description: 'FW5' },
        'be-my-parent': { target: 'contending', description: 'FW7' },
      },
    },
    contending: {
      tags: ['waiting', 'asking'],
      initial: 'drawing',
      on: {
        ...settled,
        'be-my-parent': {
          target: 'root',
          actions: ['adopt', 'win', 'announce'],
          description: 'FW8',
        },
      },
      states: {
        drawing: {
          entry: 'offerWaits',
          on: {
            chosen: [
              { guard: 'isShort', target: 'short', description: 'FW7' },
              { target: 'long', description: 'FW7' },
            ],
          },
        },
        short: {
          after: { short: { target: '#firewire.asking', actions: 'ask', description: 'FW8' } },
        },
        long: {
          after: { long: { target: '#firewire.asking', actions: 'ask', description: 'FW8' } },
        },
      },
    },
    child,
    root,
    follower,
  },
});

/** Contention ends by the ids of the two nodes. */
export const tieBreakingMachine = node.createMachine({
  id: 'firewire',
  context,
  initial: 'asleep',
  states: {
    asleep,
    collecting,
    ready,
    asking: {
      tags: ['waiting', 'asking'],
      on: {
        ...awake,
        'you-are-my-child': { target: 'child', description: 'FW5' },
        'be-my-parent': [
          {
            guard: 'isLarger',
            target: 'root',
            actions: ['adopt', 'win', 'announce'],
            description: 'FW9',
          },
          { description: 'FW9: the other node has the larger id' },
        ],
      },
    },
    child,
    root,
    follower,
  },
});
