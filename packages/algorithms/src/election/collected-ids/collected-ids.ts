/**
 * Ring election with collected ids (A. S. Tanenbaum, Distributed Operating Systems, 1995, § 3.3.2;
 * after Chang & Roberts, CACM 22:5, 1979). A logical one-way ring over a complete network, any
 * order; 2n messages per initiator. Rules CI1–CI5, and CI6–CI10 for `acknowledged`: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup } from 'xstate';
import type { Command } from '../election.js';

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

interface Context extends Input {
  readonly leader: NodeId | null;
  /** The messages that the next node has not acknowledged yet. */
  readonly unacknowledged: readonly Message[];
}

export type Event = Command | Received<Message | Acknowledgement>;

type Step = { readonly context: Context; readonly event: Event };

/** Ids are compared as strings. */
const largest = (list: readonly NodeId[]): NodeId | null => [...list].sort().at(-1) ?? null;

const listOf = (event: Event): readonly NodeId[] => {
  assertEvent(event, ['election', 'coordinator']);
  return event.list;
};

const firstElection = ({ context: { self } }: Step): Message => ({
  type: 'election',
  list: [self],
});

const longerElection = ({ context: { self }, event }: Step): Message => ({
  type: 'election',
  list: [...listOf(event), self],
});

const firstCoordinator = ({ context: { self }, event }: Step): Message => ({
  type: 'coordinator',
  list: listOf(event),
  informed: [self],
});

const nextCoordinator = ({ context: { self }, event }: Step): Message => {
  assertEvent(event, 'coordinator');
  return { type: 'coordinator', list: event.list, informed: [...event.informed, self] };
};

const learn = ({ event }: Step) => ({ leader: largest(listOf(event)) });

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<Message | Acknowledgement>;
  },
});

/** A node sends each message to the next one. */
const sent = (made: (step: Step) => Message) =>
  node.emit((step) => send(step.context.ring[0] ?? step.context.self, made(step)));

const member = node.extend({
  actions: {
    start: sent(firstElection),
    append: sent(longerElection),
    announce: sent(firstCoordinator),
    inform: sent(nextCoordinator),
    learn: node.assign(learn),
  },
  guards: {
    listed: ({ context, event }) => listOf(event).includes(context.self),
    informed: ({ context, event }) => {
      assertEvent(event, 'coordinator');
      return event.informed.includes(context.self);
    },
    own: ({ context, event }) => largest(listOf(event)) === context.self,
  },
});

const asleep = member.createStateConfig({
  on: {
    elect: { target: 'participating', actions: 'start', description: 'CI1' },
    election: { target: 'participating', actions: 'append', description: 'CI2' },
  },
});

const participating = member.createStateConfig({
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
const decided = member.createStateConfig({
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

const context = ({ input }: { readonly input: Input }): Context => ({
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

/**
 * A node notes each message until it is acknowledged. The last node that is left is its own next
 * one.
 */
const posted = (made: (step: Step) => Message) =>
  node.enqueueActions(({ context, event, enqueue }) => {
    const message = made({ context, event });
    const [next] = context.ring;
    if (next === undefined) return enqueue.raise({ ...message, from: context.self });
    enqueue.emit(send(next, message));
    enqueue.assign({ unacknowledged: [...context.unacknowledged, message] });
  });

const acknowledge = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, ['election', 'coordinator']);
  const [starter = context.self] = event.list;
  if (event.from !== context.self)
    enqueue.emit(send(event.from, { type: 'ack', of: event.type, starter }));
});

const isConfirmedBy =
  (event: Event) =>
  ({ type, list }: Message): boolean =>
    event.type === 'ack' && event.of === type && event.starter === list[0];

const crossOff = node.assign(({ context, event }) => ({
  unacknowledged: context.unacknowledged.filter((message) => !isConfirmedBy(event)(message)),
}));

const skip = node.assign(({ context }) => ({ ring: context.ring.slice(1) }));

const resend = node.enqueueActions(({ context, enqueue }) => {
  const [next] = context.ring;
  if (next !== undefined)
    for (const message of context.unacknowledged) enqueue.emit(send(next, message));
});

const deliverToSelf = node.enqueueActions(({ context, enqueue }) => {
  for (const message of context.unacknowledged) enqueue.raise({ ...message, from: context.self });
  enqueue.assign({ unacknowledged: [] });
});

const replacing = member.extend({
  actions: { acknowledge, crossOff, skip, resend, deliverToSelf },
  guards: {
    isAwaited: ({ context, event }) => {
      assertEvent(event, 'ack');
      return event.from === context.ring[0] && context.unacknowledged.some(isConfirmedBy(event));
    },
    hasSent: ({ context }) => context.unacknowledged.length > 0,
    isLast: ({ context }) => context.unacknowledged.length === 1,
    isAlone: ({ context }) => context.ring.length === 1,
    smaller: ({ context, event }) => String(largest(listOf(event))) < String(context.leader),
  },
  delays: {
    timeout: ({ context }) => context.timeout ?? 0,
    /** Longer than a round takes in which one node does not answer. */
    patience: ({ context }) => (context.ring.length + 3) * (context.timeout ?? 0),
  },
});

/** Hands messages to the next node that answers. */
const link = replacing.createStateConfig({
  initial: 'quiet',
  on: {
    election: { actions: 'acknowledge', description: 'CI6' },
    coordinator: { actions: 'acknowledge', description: 'CI6' },
  },
  states: {
    quiet: {
      always: { guard: 'hasSent', target: 'awaiting', description: 'CI7' },
      on: { ack: { description: 'CI7: too late' } },
    },
    awaiting: {
      on: {
        ack: [
          {
            guard: and(['isAwaited', 'isLast']),
            target: 'quiet',
            actions: 'crossOff',
            description: 'CI7',
          },
          {
            guard: 'isAwaited',
            target: 'awaiting',
            reenter: true,
            actions: 'crossOff',
            description: 'CI7',
          },
          { description: 'CI7: too late' },
        ],
      },
      after: {
        timeout: [
          {
            guard: 'isAlone',
            target: 'quiet',
            actions: ['skip', 'deliverToSelf'],
            description: 'CI8',
          },
          { target: 'awaiting', reenter: true, actions: ['skip', 'resend'], description: 'CI8' },
        ],
      },
    },
  },
});

/**
 * The node that waits for the leader may wait for a message that a crashed node has acknowledged,
 * and not handed on.
 */
const impatient = replacing.createStateConfig({
  after: {
    patience: { target: 'participating', reenter: true, actions: 'start', description: 'CI10' },
  },
});

/** A node of a ring on which nodes may crash. */
export const acknowledgedMachine = replacing
  .createMachine({
    id: 'acknowledged-collected-ids',
    type: 'parallel',
    context,
    states: {
      link,
      member: {
        initial: 'asleep',
        states: {
          asleep,
          participating: { ...participating, ...impatient },
          leader: { ...decided, tags: ['leader', 'decided'] },
          follower: {
            ...decided,
            tags: 'decided',
            on: {
              ...decided.on,
              election: [
                {
                  guard: and(['listed', 'smaller', 'own']),
                  target: 'leader',
                  actions: ['learn', 'announce'],
                  description: 'CI3, CI9',
                },
                {
                  guard: and(['listed', 'smaller']),
                  actions: ['learn', 'announce'],
                  description: 'CI3, CI9',
                },
                { guard: 'listed', actions: 'announce', description: 'CI3' },
                { actions: 'append', description: 'CI2' },
              ],
              coordinator: [
                { guard: 'informed', target: '.sure', description: 'CI5' },
                {
                  guard: and(['smaller', 'own']),
                  target: 'leader',
                  actions: ['learn', 'inform'],
                  description: 'CI9',
                },
                { guard: 'smaller', actions: ['learn', 'inform'], description: 'CI9' },
                { actions: 'inform', description: 'CI4' },
              ],
            },
          },
        },
      },
    },
  })
  .provide({
    actions: {
      start: posted(firstElection),
      append: posted(longerElection),
      announce: posted(firstCoordinator),
      inform: posted(nextCoordinator),
    },
  });
