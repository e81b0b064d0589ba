import { notify, type Protocol, send } from '@conclave/core/protocol';
import { simulate, type Workload } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assertEvent, assign, enqueueActions } from 'xstate';
import { withMachine, withState } from '../../contract/mutant.js';
import { multicastContract } from '../multicast.contract.js';
import { type Command, type Deliver, reliableMulticast } from '../multicast.js';
import {
  lastDelivered,
  type MessageId,
  missingMessages,
  missingUpTo,
  newlyMissing,
  unstableMessages,
  withDelivered,
} from './knowledge.js';
import { machine } from './negative-multicast.js';
import { negativeMulticast } from './protocol.js';

const protocol = negativeMulticast();
/** Every message takes 100 ms: far fewer interleavings. */
const fixed = { time: { kind: 'exact', delay: [100, 100] } } as const;

/** Judged by the properties of the problem alone. */
const mutant = (refuted: string, changed: AnyStateMachine) => ({
  protocol: withMachine({ ...protocol, properties: reliableMulticast } as Protocol, changed),
  refuted,
});

/** The same messages, by their senders. */
const bySender = (messages: readonly MessageId[]) =>
  [...new Set(messages.map(({ origin }) => origin))].map((origin) => ({
    to: origin,
    missing: messages.filter((one) => one.origin === origin),
  }));

const mutants = {
  'no member sends a summary': mutant(
    'complete:3, 3 steps: what a live member has multicast, all live members deliver eventually',
    withState(
      withState(machine, ['sender', 'announcing'], { after: {} }),
      ['sender', 'standby', 'listening'],
      {
        on: { summary: { target: 'listening', reenter: true } },
        after: {},
      },
    ),
  ),
  'a member delivers a message as it comes': mutant(
    'complete:2, 3 steps: the messages of each sender are delivered in the order in which it multicast them',
    machine.provide({
      actions: {
        deliver: enqueueActions(({ context, event, enqueue }) => {
          assertEvent(event, ['multicast', 'data']);
          const { self } = context;
          const { origin, sequence } =
            event.type === 'data'
              ? event
              : { origin: self, sequence: lastDelivered(context, self) + 1 };
          enqueue.emit(
            notify<Deliver>({ type: 'deliver', from: origin, sequence, data: event.data }),
          );
          enqueue.assign({ known: withDelivered(context, { origin, sequence }).known });
        }),
      },
    }),
  ),
  'a member asks only the sender of a message': mutant(
    'complete:3, 21 steps: what a live member has delivered, all live members deliver eventually',
    machine.provide({
      actions: {
        ask: enqueueActions(({ context, event, enqueue }) => {
          assertEvent(event, ['data', 'summary', 'report']);
          const wanted =
            event.type === 'data'
              ? newlyMissing(context, event)
              : missingUpTo(context, event.delivered);
          for (const { to, ...rest } of bySender(wanted))
            enqueue.emit(send(to, { type: 'nack' as const, ...rest }));
        }),
        askAgain: enqueueActions(({ context, enqueue }) => {
          for (const { to, ...rest } of bySender(missingMessages(context)))
            enqueue.emit(send(to, { type: 'nack' as const, ...rest }));
        }),
      },
    }),
  ),
  'a member keeps only its own messages': mutant(
    'complete:3, 4 steps: what a live member has delivered, all live members deliver eventually',
    machine.provide({
      actions: {
        discard: assign(({ context }) => ({
          buffer: unstableMessages(context).filter(
            ({ origin, sequence }) =>
              origin === context.self || sequence > lastDelivered(context, origin),
          ),
        })),
      },
    }),
  ),
  'a member forgets a message that one other member has': mutant(
    'complete:3, 16 steps: what a live member has multicast, all live members deliver eventually',
    machine.provide({
      actions: {
        discard: assign(({ context }) => ({
          buffer: unstableMessages(context).filter(
            ({ origin, sequence }) =>
              sequence > lastDelivered(context, origin) ||
              context.others.every((id) => (context.known[id]?.[origin] ?? 0) < sequence),
          ),
        })),
      },
    }),
  ),
};

multicastContract({
  protocol,
  settled: 6_000,
  topologies: [complete(2), complete(3)],
  small: [
    { topology: complete(2), budget: { initiators: ['a'], commands: 2 } },
    { topology: complete(3), budget: { initiators: ['a'], ...fixed } },
  ],
  explored: [
    ['2 members, one sends two messages', complete(2), { initiators: ['a'], commands: 2 }, 471],
    [
      '3 members, one sends, a loss, a crash, messages of 100 ms',
      complete(3),
      { initiators: ['a'], losses: 1, crashes: 1, ...fixed },
      6_824,
    ],
    [
      '2 members, one sends two messages, two losses, a crash',
      complete(2),
      { initiators: ['a'], commands: 2, losses: 2, crashes: 1 },
      13_881,
    ],
    ['2 members, both send, a loss, a crash', complete(2), { losses: 1, crashes: 1 }, 32_179],
    [
      '2 members, one sends, a loss, a duplication, a crash and a restart',
      complete(2),
      { initiators: ['a'], losses: 1, duplications: 1, crashes: 1, restarts: 1 },
      2_996,
    ],
    [
      '3 members, one sends, a loss, a duplication',
      complete(3),
      { initiators: ['a'], losses: 1, duplications: 1 },
      10_451,
    ],
    [
      '3 members, two send, messages of 100 ms',
      complete(3),
      { initiators: ['a', 'b'], ...fixed },
      4_101,
    ],
    [
      '4 members, one sends, a loss, messages of 100 ms',
      complete(4),
      { initiators: ['a'], losses: 1, ...fixed },
      745,
    ],
  ],
  covered: [
    {
      topology: complete(3),
      budget: { initiators: ['a', 'b'], losses: 1, ...fixed },
      states: 53_641,
      transitions: 108_324,
      depth: 45,
      // the request is lost, too, or a crashed member is asked
      missed: ['receiver.incomplete: after retry → receiver.incomplete'],
      undelivered: ['sender.standby.probing: nack'], // as above
    },
  ],
  mutants,
});

const multicast = (data: number): Command => ({ type: 'multicast', data });

/**
 * The messages of a run in which the first member multicasts `count` messages at once, each 100 ms
 * on its way.
 */
const messagesFor = (n: number, count: number) => {
  const topology = complete(n);
  const workload: Workload = (application) => {
    for (let index = 0; index < count; index++)
      application.later({ kind: 'fixed', ms: 10 * index }, () =>
        application.tell('a', multicast(index)),
      );
    return () => {};
  };
  const result = simulate({
    protocol: { ...protocol, properties: [] },
    topology,
    workload,
    conditions: { delay: { kind: 'fixed', ms: 100 } },
  });
  expect(result.ended).toBe('quiescent');
  return result.messages;
};

describe('negative-multicast cost', () => {
  it.each([2, 3, 8])(
    '%i members: k multicasts of one sender in one period cost (k+3)(n−1) messages',
    (n) => {
      for (const k of [1, 2, 10])
        expect(messagesFor(n, k)).toEqual({
          data: k * (n - 1),
          summary: n - 1,
          report: 2 * (n - 1),
        });
    },
  );
});
