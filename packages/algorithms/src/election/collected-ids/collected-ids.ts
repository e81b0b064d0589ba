/**
 * Ring election with collected ids (A. S. Tanenbaum, Distributed Operating Systems, 1995, § 3.3.2;
 * after Chang & Roberts, CACM 22:5, 1979). A logical one-way ring over a complete network, any
 * order; 2n messages per initiator. Rules CI1–CI5, and CI6–CI10 for `acknowledged`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup } from 'xstate';
import { type OptionSchemas, time } from '../../options.js';
import type { Command } from '../election.js';

export type Options = {
  /**
   * How long, in milliseconds, a node waits for an acknowledgement: more than the longest round
   * trip; in real time at least 10. Default 1000.
   */
  readonly timeout?: number;
};

export const acknowledgedOptions: OptionSchemas<Options> = {
  timeout: time('with acknowledged: how long an answer may take'),
};

/**
 * ELECTION collects the ids of the nodes; COORDINATOR carries them to all nodes, and collects those
 * that have received it.
 */
export type Message =
  | { readonly type: 'election'; readonly list: readonly NodeId[] }
  | {
      readonly type: 'coordinator';
      readonly list: readonly NodeId[];
      readonly informed: readonly NodeId[];
    };

/** ACK confirms a message of the round that `starter` began. */
export type Acknowledgement = {
  readonly type: 'ack';
  readonly of: Message['type'];
  readonly starter: NodeId;
};

export interface Input {
  readonly self: NodeId;
  /** The other nodes in the order of the ring, the next one first. */
  readonly ring: readonly NodeId[];
  /** How long, in milliseconds, a node waits for an acknowledgement; null if there are none. */
  readonly timeout: number | null;
}

export interface Context extends Input {
  readonly leader: NodeId | null;
  /** The messages that the next node has not acknowledged yet. */
  readonly unacknowledged: readonly Message[];
}

export type Event = Command | Received<Message | Acknowledgement>;

export type Step = { readonly context: Context; readonly event: Event };

/** Ids are compared as strings. */
export const largestOf = (list: readonly NodeId[]): NodeId | null =>
  [...list].sort().at(-1) ?? null;

export const listOf = (event: Event): readonly NodeId[] => {
  assertEvent(event, ['election', 'coordinator']);
  return event.list;
};

export const firstElection = ({ context: { self } }: Step): Message => ({
  type: 'election',
  list: [self],
});

export const longerElection = ({ context: { self }, event }: Step): Message => ({
  type: 'election',
  list: [...listOf(event), self],
});

export const firstCoordinator = ({ context: { self }, event }: Step): Message => ({
  type: 'coordinator',
  list: listOf(event),
  informed: [self],
});

export const nextCoordinator = ({ context: { self }, event }: Step): Message => {
  assertEvent(event, 'coordinator');
  return { type: 'coordinator', list: event.list, informed: [...event.informed, self] };
};

const learn = ({ event }: Step) => ({ leader: largestOf(listOf(event)) });

export const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<Message | Acknowledgement>;
  },
});

/** A node sends each message to the next one. */
const sendOn = (made: (step: Step) => Message) =>
  node.emit((step) => send(step.context.ring[0] ?? step.context.self, made(step)));

export const member = node.extend({
  actions: {
    start: sendOn(firstElection),
    append: sendOn(longerElection),
    announce: sendOn(firstCoordinator),
    inform: sendOn(nextCoordinator),
    learn: node.assign(learn),
  },
  guards: {
    listed: ({ context, event }) => listOf(event).includes(context.self),
    informed: ({ context, event }) => {
      assertEvent(event, 'coordinator');
      return event.informed.includes(context.self);
    },
    own: ({ context, event }) => largestOf(listOf(event)) === context.self,
  },
});

export const asleep = member.createStateConfig({
  on: {
    elect: { target: 'participating', actions: 'start', description: 'CI1' },
    election: { target: 'participating', actions: 'append', description: 'CI2' },
  },
});

export const participating = member.createStateConfig({
  tags: 'waiting',
  on: {
    elect: { description: 'CI1: it takes part already' },
    election: [
      {
        guard: and(['listed', 'own']),
        target: 'leader',
        actions: ['learn', 'announce'],
        description: 'CI3',
      },
      { guard: 'listed', target: 'follower', actions: ['learn', 'announce'], description: 'CI3' },
      { actions: 'append', description: 'CI2' },
    ],
    coordinator: [
      { guard: 'own', target: 'leader', actions: ['learn', 'inform'], description: 'CI4' },
      { target: 'follower', actions: ['learn', 'inform'], description: 'CI4' },
    ],
  },
});

/** Another round may still be on its way: it has the same result. */
export const decided = member.createStateConfig({
  initial: 'unsure',
  on: {
    elect: { description: 'CI1: the election is decided' },
    election: [
      { guard: 'listed', actions: 'announce', description: 'CI3' },
      { actions: 'append', description: 'CI2' },
    ],
    coordinator: [
      { guard: 'informed', target: '.sure', description: 'CI5' },
      { actions: 'inform', description: 'CI4' },
    ],
  },
  states: { unsure: {}, sure: { tags: 'terminated' } },
});

export const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  leader: null,
  unacknowledged: [],
});

/** A node of a ring on which no node crashes. */
export const machine = member.createMachine({
  id: 'collected-ids',
  context,
  initial: 'asleep',
  states: {
    asleep,
    participating,
    leader: { ...decided, tags: ['leader', 'decided'] },
    follower: { ...decided, tags: 'decided' },
  },
});
