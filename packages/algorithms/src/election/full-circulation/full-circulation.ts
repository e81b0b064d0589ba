/**
 * Election by full circulation (Le Lann, IFIP Congress 1977): the id of every node goes all round
 * the ring, and no node stops another's. One-way ring, FIFO, or any order if the nodes know the
 * size of the ring; n² messages. Rules FC1–FC5, and FC6–FC7 if the size is known: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup } from 'xstate';
import { flag, type OptionSchemas } from '../../options.js';
import type { Command } from '../election.js';

export type Options = {
  /**
   * Whether the nodes know the size of the ring. Then channels may have any order. Default false.
   */
  readonly size?: boolean;
};

export const fullCirculationOptions: OptionSchemas<Options> = {
  size: flag('the nodes know the size of the ring: channels may have any order'),
};

/** ELECTION carries the id of a node around the ring, back to that node. */
export type Message = { readonly type: 'election'; readonly id: NodeId };

interface Input {
  readonly self: NodeId;
  readonly next: NodeId;
  /** The number of nodes of the ring; null if the nodes do not know it. */
  readonly size: number | null;
}

interface Context extends Input {
  /** The largest id so far, its own included. */
  readonly largest: NodeId;
  /** How many ids have come, its own included. */
  readonly received: number;
  readonly leader: NodeId | null;
}

export type Event = Command | Received<Message>;

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message> },
});

const sendOwn = node.emit(({ context }) =>
  send(context.next, { type: 'election', id: context.self }),
);

const passOn = node.emit(({ context, event }) => {
  assertEvent(event, 'election');
  return send(context.next, { type: 'election', id: event.id });
});

const note = node.assign(({ context: { largest, received }, event }) => {
  assertEvent(event, 'election');
  const isLarger = event.id > largest;
  return { largest: isLarger ? event.id : largest, received: received + 1 };
});

const learn = node.assign(({ context }) => ({ leader: context.largest }));

const member = node.extend({
  actions: { sendOwn, passOn, note, learn },
  guards: {
    own: ({ context, event }) => {
      assertEvent(event, 'election');
      return event.id === context.self;
    },
    isLargest: ({ context }) => context.largest === context.self,
    allReceived: ({ context }) => context.received === context.size,
  },
});

const asleep = member.createStateConfig({
  on: {
    elect: { target: 'circulating', actions: 'sendOwn', description: 'FC1' },
    election: { target: 'circulating', actions: ['sendOwn', 'note', 'passOn'], description: 'FC2' },
  },
});

const leader = member.createStateConfig({
  tags: ['leader', 'decided'],
  on: { elect: { description: 'FC1: the election is decided' } },
});

const follower = member.createStateConfig({
  tags: 'decided',
  on: { elect: { description: 'FC1: the election is decided' } },
});

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  largest: input.self,
  received: 0,
  leader: null,
});

/** On FIFO channels, its own id is the last one that a node receives. */
export const machine = member.createMachine({
  id: 'full-circulation',
  context,
  initial: 'asleep',
  states: {
    asleep,
    circulating: {
      tags: 'waiting',
      on: {
        elect: { description: 'FC1: its id is on its way' },
        election: [
          {
            guard: and(['own', 'isLargest']),
            target: 'leader',
            actions: ['note', 'learn'],
            description: 'FC4',
          },
          { guard: 'own', target: 'follower', actions: ['note', 'learn'], description: 'FC5' },
          { actions: ['note', 'passOn'], description: 'FC3' },
        ],
      },
    },
    leader,
    follower,
  },
});

/** A node that knows the size of the ring counts the ids. */
export const countingMachine = member.createMachine({
  id: 'counting-full-circulation',
  context,
  initial: 'asleep',
  states: {
    asleep,
    circulating: {
      tags: 'waiting',
      always: [
        {
          guard: and(['allReceived', 'isLargest']),
          target: 'leader',
          actions: 'learn',
          description: 'FC7',
        },
        { guard: 'allReceived', target: 'follower', actions: 'learn', description: 'FC7' },
      ],
      on: {
        elect: { description: 'FC1: its id is on its way' },
        election: [
          { guard: 'own', actions: 'note', description: 'FC6' },
          { actions: ['note', 'passOn'], description: 'FC3' },
        ],
      },
    },
    leader,
    follower,
  },
});
