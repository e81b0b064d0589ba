/**
 * The echo algorithm (E. J. H. Chang, IEEE TSE 8:4, 1982; A. Segall: propagation of information
 * with feedback, IEEE TIT 29:1, 1983). Any connected network, any order; 2e messages exactly. Rules
 * EW1–EW5: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { type OptionSchemas, text } from '../../options.js';
import { type Command, crossedOff, joined, type Part, withNode } from '../wave.js';

export type Options = {
  /** The node that starts the wave. Default: the network's first node. */
  readonly initiator?: NodeId;
};

export const echoOptions: OptionSchemas<Options> = {
  initiator: text('the node that starts the wave'),
};

/**
 * EXPLORER reaches a node, ECHO returns to the node that reached the sender. `height`: the distance
 * of the sender from the initiator, in the tree.
 */
export type Message =
  | { readonly type: 'explorer'; readonly height: number }
  | { readonly type: 'echo' };

export interface Input {
  readonly neighbours: readonly NodeId[];
}

interface Context extends Input, Part {
  /**
   * The distance from the initiator in the tree of the parents; 0 at the initiator, and before the
   * wave comes.
   */
  readonly height: number;
  /** The neighbours whose parent this node is, as far as their echoes have come. */
  readonly children: readonly NodeId[];
}

export type Event = Command | Received<Message>;

const base = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const join = base.assign(({ context, event }) => {
  assertEvent(event, 'explorer');
  return { ...joined(context.neighbours, event.from), height: event.height + 1 };
});

const explore = base.enqueueActions(({ context: { pending, height }, enqueue }) => {
  for (const id of pending) enqueue.emit(send(id, { type: 'explorer', height }));
});

const crossOff = base.assign(({ context, event }) => {
  assertEvent(event, ['explorer', 'echo']);
  return crossedOff(context, event.from);
});

const adopt = base.assign(({ context, event }) => {
  assertEvent(event, 'echo');
  return { children: withNode(context.children, event.from) };
});

const echo = base.enqueueActions(({ context: { parent }, enqueue }) => {
  if (parent !== null) enqueue.emit(send(parent, { type: 'echo' }));
});

const wave = base.extend({
  actions: { join, explore, crossOff, adopt, echo },
  guards: { heardFromAll: ({ context }) => context.pending.length === 0 },
});

/** A red node waits until it has heard from all neighbours. */
const red = wave.createStateConfig({
  tags: ['reached', 'waiting'],
  on: {
    explorer: { actions: 'crossOff', description: 'EW3' },
    echo: { actions: ['crossOff', 'adopt'], description: 'EW3' },
  },
});

/** The states of the node that starts. */
const initiating = {
  red: wave.createStateConfig({
    ...red,
    always: { guard: 'heardFromAll', target: 'green', description: 'EW5' },
  }),
  green: wave.createStateConfig({ tags: ['reached', 'done'] }),
};

/** The states of the others. */
const relaying = {
  red: wave.createStateConfig({
    ...red,
    always: { guard: 'heardFromAll', target: 'green', actions: 'echo', description: 'EW4' },
  }),
  green: wave.createStateConfig({ tags: 'reached' }),
};

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  ...joined(input.neighbours, null),
  height: 0,
  children: [],
});

export const initiator = wave.createMachine({
  id: 'echo-initiator',
  context,
  initial: 'white',
  states: {
    white: { on: { start: { target: 'red', actions: 'explore', description: 'EW1' } } },
    ...initiating,
  },
});

export const node = wave.createMachine({
  id: 'echo',
  context,
  initial: 'white',
  states: {
    white: {
      on: { explorer: { target: 'red', actions: ['join', 'explore'], description: 'EW2' } },
    },
    ...relaying,
  },
});

/**
 * A node that starts or is reached, as a part of a larger one, which raises `start`. It notes no
 * children.
 */
export const part = wave.createMachine({
  id: 'echo-part',
  context,
  initial: 'white',
  states: {
    white: {
      on: {
        start: { target: 'red', actions: 'explore', description: 'EW1' },
        explorer: { target: 'red', actions: ['join', 'explore'], description: 'EW2' },
      },
    },
    red: {
      always: { guard: 'heardFromAll', target: 'green', actions: 'echo', description: 'EW4, EW5' },
      on: {
        explorer: { actions: 'crossOff', description: 'EW3' },
        echo: { actions: 'crossOff', description: 'EW3' },
      },
    },
    green: {},
  },
});
