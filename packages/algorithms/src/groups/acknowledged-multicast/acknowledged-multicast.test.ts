import { readFileSync } from 'node:fs';
import { notify, type Protocol } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign, enqueueActions } from 'xstate';
import { everyInterleaving } from '../../contract/explored.contract.js';
import { mutantOf, withMachine, withState } from '../../contract/mutant.js';
import { conditionsFor } from '../../contract/sweep.js';
import { multicastContract } from '../multicast.contract.js';
import type { Command } from '../multicast.js';
import { machine, silentMachine } from './acknowledged-multicast.js';
import { delay, expectedMessages } from './expected-cost.contract.js';
import { acknowledgedMulticast } from './protocol.js';

const protocol = acknowledgedMulticast();

/** Without any bound on delays: a time-out may end at any moment. */
function untimed(options: Parameters<typeof acknowledgedMulticast>[0]): Protocol {
  const made = acknowledgedMulticast(options);
  return { ...made, channels: { ...made.channels, time: 'untimed' } };
}

const mutant = mutantOf(protocol, 'member');
const { on } = machine.config;
const [isNew, crossed, repeated] = [on?.data].flat();

/** Delivers the message that comes where `isDue` says so, given the number of the last one. */
const deliverIf = (isDue: (sequence: number, last: number) => boolean) =>
  enqueueActions(({ context, event, enqueue }) => {
    const { origin, sequence, data } = Object(event);
    const last = context.delivered[origin] ?? 0;
    if (!isDue(sequence, last)) return;
    enqueue.emit(notify({ type: 'deliver', from: origin, sequence, data }));
    enqueue.assign({ delivered: { ...context.delivered, [origin]: Math.max(sequence, last) } });
  }) as never; // for a machine of this type
const deliverAtOnce = deliverIf(() => true);
const deliverAgain = deliverIf((sequence, last) => sequence <= last + 1);
const [a, ab] = [{ initiators: ['a'] }, { initiators: ['a', 'b'] }] as const;

multicastContract({
  protocol,
  topologies: [complete(2), complete(3)],
  conditions: conditionsFor(untimed({})),
  settled: 5_000,
  small: [{ topology: complete(2), budget: {} }],
  explored: [
    [
      '2 members, two messages of one sender, a loss and a duplication',
      complete(2),
      { commands: 2, losses: 1, duplications: 1, ...a },
      1_569,
    ],
    [
      '3 members, a message, 2 losses and a crash',
      complete(3),
      { ...a, losses: 2, crashes: 1 },
      8_584,
    ],
    [
      '3 members, a message of each of two senders, a loss',
      complete(3),
      { ...ab, losses: 1 },
      29_133,
    ],
    [
      '3 members, two messages of one sender, a loss',
      complete(3),
      { ...a, commands: 2, losses: 1 },
      15_945,
    ],
    [
      '4 members, a message, a loss and a crash',
      complete(4),
      { ...a, losses: 1, crashes: 1 },
      111_445,
    ],
  ],
  mutants: {
    'no member sends on what it gets': {
      protocol: acknowledgedMulticast({ relay: 'never' }),
      refuted:
        'complete:3, 5 steps: what a live member has delivered, all live members deliver eventually',
    },
    'a message is delivered although one before it is missing': mutant(
      'complete:2, 3 steps: the messages of each sender are delivered in the order in which it multicast them',
      machine.provide({ actions: { deliver: deliverAtOnce } }),
    ),
    'duplicates are not dropped': mutant(
      'complete:2, 4 steps: each member delivers only what was multicast, and each message at most once',
      machine.provide({ actions: { deliver: deliverAgain }, guards: { isNew: () => true } }),
    ),
    'a message behind a gap is acknowledged and forgotten': mutant(
      'complete:2, 6 steps: what a live member has multicast, all live members deliver eventually',
      machine.provide({
        actions: {
          forget: assign(({ context }) => ({
            kept: context.kept.filter(({ missing }) => missing.length > 0),
          })),
        },
      }),
    ),
    'nothing is sent again': mutant(
      'complete:2, 3 steps: what a live member has multicast, all live members deliver eventually',
      machine.provide({ guards: { mayRetransmit: () => false } }),
    ),
    'a repetition is not answered': mutant(
      'complete:2, 4 steps: each DATA is answered by one ACK to its sender, unless it is itself an answer',
      withState(machine, [], { on: { ...on, data: [isNew, crossed, {}] } }),
    ),
    'a copy that crosses an own one is no answer': mutant(
      'complete:3, 4 steps: each DATA is answered by one ACK to its sender, unless it is itself an answer',
      withState(machine, [], { on: { ...on, data: [isNew, repeated] } }),
    ),
  },
});

describe('C4 acknowledged-multicast: relays at silence', () => {
  const silent = acknowledgedMulticast({ relay: 'silence' });
  everyInterleaving(
    silent,
    [
      [
        '2 and 3 members, a message, 2 losses and a crash',
        [2, 3].map((n) => ({ topology: complete(n), budget: { ...a, losses: 2, crashes: 1 } })),
        {},
        7_931,
      ],
      [
        '3 members, a message of each of two senders, a loss',
        complete(3),
        { ...ab, losses: 1 },
        13_869,
      ],
      [
        '4 members, a message, a loss and a crash',
        complete(4),
        { ...a, losses: 1, crashes: 1 },
        21_561,
      ],
    ],
    {
      'a member does not mind the silence of the origin': {
        protocol: withMachine(
          silent,
          silentMachine.provide({ actions: { awaitOrigin: assign({}) } }),
          'member',
        ),
        refuted: 'complete:3, 5 steps: no node waits in a quiescent state',
      },
    },
  );
});

describe('C4 acknowledged-multicast: a time-out may end at any moment', () => {
  everyInterleaving(
    untimed({ retransmissions: 2 }),
    [
      [
        '2 members, a message of each, 2 losses and a crash',
        complete(2),
        { losses: 2, crashes: 1 },
        75_799,
      ],
    ],
    {},
  );
  everyInterleaving(
    untimed({ retransmissions: 1 }),
    [
      [
        '2 members, a message of each, a loss, a duplication and a crash',
        complete(2),
        { losses: 1, duplications: 1, crashes: 1 },
        52_139,
      ],
      ['3 members, a message, a loss', complete(3), { ...a, losses: 1 }, 17_977],
    ],
    {},
  );
});

// What a multicast costs where messages are lost: the table of the page, and simulation beside it.

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const losses = [0, 0.05, 0.1, 0.2, 0.3];
const topology = complete(3);
const kinds = sampled(['first', 'silence', 'never'] as const, 1);
const expectations = new Map(
  kinds.map((relay) => [
    relay,
    expectedMessages(acknowledgedMulticast({ relay }), topology, 'a', losses),
  ]),
);
const expected = (relay: (typeof kinds)[number]): readonly number[] =>
  expectations.get(relay) ?? [];

describe('acknowledged-multicast cost with losses', () => {
  it('is expected as the table on the page says', () => {
    for (const relay of kinds) {
      const row = expected(relay).map((count) => count.toFixed(2));
      expect(page).toContain(`| \`${relay}\` | ${row.join(' | ')} |`);
    }
  });

  proof(
    'without relays follows the formula for rounds that are repeated until message and ACK arrive',
    () => {
      // 1 + 5 retransmissions
      const rounds = losses.map((loss) => (1 - (1 - (1 - loss) ** 2) ** 6) / (1 - loss) ** 2);
      const formula = rounds.map((count, index) => 2 * count * (1 + 1 - (losses[index] ?? 0)));
      for (const [index, count] of expected('never').entries())
        expect(count).toBeCloseTo(formula[index] ?? 0, 9);
    },
  );

  it.each(kinds)('is so in simulation, within three standard errors: relay %s', (relay) => {
    const protocol = acknowledgedMulticast({ relay });
    const workload = oneShot({ type: 'multicast', data: 'x' } satisfies Command as Command, {
      nodes: ['a'],
    });
    const [, , , fifth = 0] = expected(relay);
    const counts = Array.from({ length: 100 }, (_, seed) =>
      totalMessages(
        simulate({
          protocol,
          topology,
          workload,
          seed: seed + 1,
          conditions: { delay: { kind: 'fixed', ms: delay }, order: 'any', loss: 0.2 },
        }),
      ),
    );
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    const deviation = Math.sqrt(
      counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1),
    );
    expect(Math.abs(mean - fifth)).toBeLessThan((3 * deviation) / Math.sqrt(counts.length));
  });
});
