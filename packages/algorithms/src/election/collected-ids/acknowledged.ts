/** Collected ids where nodes may crash: rules CI6–CI10. */
import { send } from '@conclave/core/protocol';
import { and, assertEvent } from 'xstate';
import {
  asleep,
  context,
  decided,
  type Event,
  firstCoordinator,
  firstElection,
  largestOf,
  listOf,
  longerElection,
  type Message,
  member,
  nextCoordinator,
  node,
  participating,
  type Step,
} from './collected-ids.js';

/**
 * A node notes each message until it is acknowledged. The last node that is left is its own next
 * one.
 */
const post = (made: (step: Step) => Message) =>
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

const linkedMember = member.extend({
  actions: { acknowledge, crossOff, skip, resend, deliverToSelf },
  guards: {
    isAwaited: ({ context, event }) => {
      assertEvent(event, 'ack');
      return event.from === context.ring[0] && context.unacknowledged.some(isConfirmedBy(event));
    },
    hasSent: ({ context }) => context.unacknowledged.length > 0,
    isLast: ({ context }) => context.unacknowledged.length === 1,
    isAlone: ({ context }) => context.ring.length === 1,
    smaller: ({ context, event }) => String(largestOf(listOf(event))) < String(context.leader),
  },
  delays: {
    timeout: ({ context }) => context.timeout ?? 0,
    /** Longer than a round takes in which one node does not answer. */
    patience: ({ context }) => (context.ring.length + 3) * (context.timeout ?? 0),
  },
});

/** Hands messages to the next node that answers. */
const link = linkedMember.createStateConfig({
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
const impatient = linkedMember.createStateConfig({
  after: {
    patience: { target: 'participating', reenter: true, actions: 'start', description: 'CI10' },
  },
});

/** A node of a ring on which nodes may crash. */
export const acknowledgedMachine = linkedMember
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
      start: post(firstElection),
      append: post(longerElection),
      announce: post(firstCoordinator),
      inform: post(nextCoordinator),
    },
  });
