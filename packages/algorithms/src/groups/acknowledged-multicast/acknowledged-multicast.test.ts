import { readFileSync } from 'node:fs';
import { model } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { type NodeId, notify, type Protocol, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { complete, type Topology } from '@conclave/core/topology';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { everyInterleaving } from '../../contract/explored.contract.js';
import { mutantOf } from '../../contract/machines.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import { multicastContract } from '../multicast.contract.js';
import type { Command } from '../multicast.js';
import { type Input, machine, silentMachine } from './acknowledged-multicast.js';
import { acknowledgedMulticast } from './protocol.js';

type World = ReturnType<typeof model>['worlds']['initial'];

/** How long each message takes, in milliseconds. */
const delay = 100;

/**
 * The expected number of messages of one multicast of `sender`, for each probability in `losses`
 * that a message is lost. At one moment time-outs come before messages, as in the simulator where
 * time-outs are longer than delays.
 */
function expectedMessages(
  protocol: Protocol,
  topology: Topology,
  sender: NodeId,
  losses: readonly number[],
): readonly number[] {
  const { worlds } = model(protocol, topology, {
    initiators: [sender],
    losses: 1,
    time: { kind: 'exact', delay: [delay, delay] },
  });
  const known = new Map<string, readonly number[]>();

  /**
   * The messages sent from `world` on. A loss leaves the budget as it was, so that there may be any
   * number.
   */
  function onward(world: World): readonly number[] {
    const key = JSON.stringify([world.nodes, world.channels, world.clocks]);
    const expected = known.get(key) ?? after(world);
    known.set(key, expected);
    return expected;
  }

  function after(world: World): readonly number[] {
    const actions = worlds.actions(world);
    const first = ['command', 'timeout', 'deliver', 'tick'].flatMap(
      (type) => actions.find((action) => action.type === type) ?? [],
    );
    const [next] = first;
    if (!next) return losses.map(() => 0);
    const { world: reached, effects } = worlds.perform(world, next);
    const sent = effects.filter(({ type }) => type === 'send').length;
    const arrived = onward(reached).map((count) => count + sent);
    if (next.type !== 'deliver') return arrived;
    const lost = onward({
      ...worlds.next(world, { ...next, type: 'drop' }),
      remaining: world.remaining,
    });
    return losses.map(
      (loss, index) => (1 - loss) * (arrived[index] ?? 0) + loss * (lost[index] ?? 0),
    );
  }
  return onward(worlds.initial);
}

const protocol = acknowledgedMulticast();

/** Without any bound on delays: a time-out may end at any moment. */
function untimed(options: Parameters<typeof acknowledgedMulticast>[0]): Protocol {
  const made = acknowledgedMulticast(options);
  return { ...made, channels: { ...made.channels, time: 'untimed' } };
}

const mutant = mutantOf(protocol, 'member');

// for a machine of this type
const [a, ab] = [{ initiators: ['a'] }, { initiators: ['a', 'b'] }] as const;

multicastContract({
  protocol,
  topologies: [complete(2), complete(3)],
  conditions: conditionsFor(untimed({})),
  settled: 5_000,
  small: [{ topology: complete(2), budget: {} }],
  explored: [
    [complete(2), { commands: 2, losses: 1, duplications: 1, ...a }, 1_569],
    [complete(3), { ...a, losses: 2, crashes: 1 }, 8_584],
    [complete(3), { ...ab, losses: 1 }, 29_133],
    [complete(3), { ...a, commands: 2, losses: 1 }, 15_945],
    [complete(4), { ...a, losses: 1, crashes: 1 }, 111_445],
  ],
  mutants: {
    'no member sends on what it gets': {
      protocol: acknowledgedMulticast({ relay: 'never' }),
      refuted:
        'complete:3, 5 steps: all live members eventually deliver what a live member has delivered',
    },
    'a message behind a gap is acknowledged and forgotten': mutant(
      'complete:2, 6 steps: all live members eventually deliver what a live member has multicast',
      machine.provide({
        actions: {
          forget: assign(({ context }) => ({
            kept: context.kept.filter(({ missing }) => missing.length > 0),
          })),
        },
      }),
    ),
  },
});

describe('C4 acknowledged-multicast: relays at silence', () => {
  const silent = acknowledgedMulticast({ relay: 'silence' });
  everyInterleaving(silent, [
    [
      '2 and 3 members, a message, 2 losses and a crash',
      [2, 3].map((n) => ({ topology: complete(n), budget: { ...a, losses: 2, crashes: 1 } })),
      {},
      7_931,
    ],
    [complete(3), { ...ab, losses: 1 }, 13_869],
    [complete(4), { ...a, losses: 1, crashes: 1 }, 21_561],
  ]);
});

describe('C4 acknowledged-multicast: a time-out may end at any moment', () => {
  everyInterleaving(untimed({ retransmissions: 2 }), [
    [complete(2), { losses: 2, crashes: 1 }, 75_799],
  ]);
  everyInterleaving(untimed({ retransmissions: 1 }), [
    [complete(2), { losses: 1, duplications: 1, crashes: 1 }, 52_139],
    [complete(3), { ...a, losses: 1 }, 17_977],
  ]);
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

// Each rule of the page, at member a of a group of three.

const input: Input = {
  self: 'a',
  others: ['b', 'c'],
  relay: 'first',
  timeout: 300,
  retransmissions: 1,
  patience: 1000,
};

const data = (origin: string, sequence: number, from?: string) => ({
  type: 'data',
  origin,
  sequence,
  data: `${origin}${sequence}`,
  ...(from && { from }),
});
const ack = (origin: string, sequence: number, from?: string) => ({
  type: 'ack',
  origin,
  sequence,
  ...(from && { from }),
});
const stable = (origin: string, sequence: number, from?: string) => ({
  type: 'stable',
  origin,
  sequence,
  ...(from && { from }),
});
const deliver = (from: string, sequence: number) =>
  notify({ type: 'deliver', from, sequence, data: `${from}${sequence}` });
const multicast = (text: string) => ({ type: 'multicast', data: text });
const overdue = (origin: string, sequence: number) => ({ type: 'overdue', origin, sequence });

/**
 * The last of these events: its effects, and the state after it. A time-out leaves its timer
 * behind.
 */
function last(events: readonly { readonly type: string }[], given: Partial<Input> = {}) {
  const chart = given.relay === 'silence' ? silentMachine : machine;
  let taken = start(chart, 'a', { ...input, ...given });
  for (const event of events) {
    const { state } = taken;
    const timers = state.timers.filter(
      ({ event: { type, ...which } }) =>
        event.type !== type ||
        Object.entries(which).some(([key, value]) => Object(event)[key] !== value),
    );
    taken = step(chart, 'a', { ...state, timers }, event);
  }
  const { state, effects } = taken;
  return {
    done: effects.filter(({ type }) => type === 'send' || type === 'notify'),
    armed: state.timers.map(({ id, delay }) => `${id}: ${delay}`),
    kept: state.context.kept,
    value: state.value,
  };
}

describe('acknowledged-multicast rules', () => {
  it('[AM1] a member numbers a message, delivers it, sends it to all others, and waits for their answers', () => {
    const { done, armed, value } = last([multicast('a1')]);
    expect(done).toEqual([deliver('a', 1), send('b', data('a', 1)), send('c', data('a', 1))]);
    expect([armed, value]).toEqual([['a 1: 300'], 'awaiting']);
    expect(last([multicast('a1'), multicast('a2')]).done[0]).toEqual(deliver('a', 2));
  });

  it('[AM2] a message that comes for the first time is acknowledged, and sent on to all but its origin and its sender', () => {
    const { done, armed } = last([data('b', 1, 'b')]);
    expect(done).toEqual([send('b', ack('b', 1)), send('c', data('b', 1)), deliver('b', 1)]);
    expect(armed).toEqual(['b 1: 300']);
    const relayed = last([data('b', 1, 'c')]);
    expect(relayed).toMatchObject({
      done: [send('c', ack('b', 1)), deliver('b', 1)],
      armed: [],
      value: 'settled',
    });
    expect(last([data('b', 1, 'b')], { relay: 'never' })).toMatchObject({
      done: [send('b', ack('b', 1)), deliver('b', 1)],
      armed: [],
      kept: [],
    });
  });

  it('[AM3] a message is held back until all messages of its origin before it are delivered', () => {
    const early = [data('b', 3, 'b'), data('b', 2, 'b')];
    expect(last(early).done).toEqual([send('b', ack('b', 2)), send('c', data('b', 2))]);
    expect(last([...early, data('b', 1, 'b')]).done.slice(2)).toEqual(
      [1, 2, 3].map((sequence) => deliver('b', sequence)),
    );
  });

  it('[AM4] an ACK is an answer, and so is the copy of another member', () => {
    expect(last([multicast('a1'), ack('a', 1, 'b')])).toMatchObject({
      done: [],
      armed: ['a 1: 300'],
      value: 'awaiting',
    });
    expect(last([multicast('a1'), ack('a', 1, 'b'), ack('a', 1, 'c')])).toMatchObject({
      done: [],
      armed: [],
      value: 'settled',
    });
    expect(last([data('b', 1, 'b'), data('b', 1, 'c')])).toMatchObject({
      done: [],
      armed: [],
      value: 'settled',
    });
    expect(last([multicast('a1'), ack('a', 1, 'b'), ack('a', 1, 'b')])).toMatchObject({
      done: [],
      value: 'awaiting',
    });
  });

  it('[AM5] a message that came before is dropped, and acknowledged again', () => {
    expect(last([data('b', 1, 'b'), data('b', 1, 'b')]).done).toEqual([send('b', ack('b', 1))]);
    expect(last([data('b', 2, 'b'), data('b', 2, 'b')]).done).toEqual([send('b', ack('b', 2))]);
    expect(last([data('b', 1, 'b'), data('b', 1, 'c'), data('b', 1, 'c')]).done).toEqual([
      send('c', ack('b', 1)),
    ]);
  });

  it('[AM6] after the time-out a message is sent again to those that have not answered', () => {
    const { done, armed } = last([multicast('a1'), ack('a', 1, 'b'), overdue('a', 1)]);
    expect(done).toEqual([send('c', data('a', 1))]);
    expect(armed).toEqual(['a 1: 300']);
  });

  it('[AM7] after so many retransmissions the member gives up', () => {
    expect(last([multicast('a1'), overdue('a', 1), overdue('a', 1)])).toMatchObject({
      done: [],
      armed: [],
      kept: [],
      value: 'settled',
    });
  });

  it("[AM8] with relay 'silence' a member waits for the origin first, which says when all have answered", () => {
    const given = { relay: 'silence' } as const;
    const first = last([data('b', 1, 'b')], given);
    expect(first).toMatchObject({
      done: [send('b', ack('b', 1)), deliver('b', 1)],
      armed: ['b 1: 1000'],
    });
    expect(last([data('b', 1, 'b'), stable('b', 1, 'b')], given)).toMatchObject({
      done: [],
      armed: [],
      kept: [],
      value: 'settled',
    });
    const silent = [data('b', 1, 'b'), overdue('b', 1)];
    expect(last(silent, given)).toMatchObject({
      done: [send('c', data('b', 1))],
      armed: ['b 1: 300'],
    });
    expect(last([...silent, overdue('b', 1)], given).done).toEqual([send('c', data('b', 1))]);
    expect(last([...silent, overdue('b', 1), overdue('b', 1)], given)).toMatchObject({
      done: [],
      kept: [],
    });
    const answered = [multicast('a1'), ack('a', 1, 'b'), ack('a', 1, 'c')];
    expect(last(answered, given).done).toEqual([
      send('b', stable('a', 1)),
      send('c', stable('a', 1)),
    ]);
    expect(last([...answered, ack('a', 1, 'c')], given).done).toEqual([]);
  });

  it('[AM9] a message is forgotten when it is delivered and all have answered; a held-back one is not', () => {
    expect(last([multicast('a1'), ack('a', 1, 'b'), ack('a', 1, 'c')]).kept).toEqual([]);
    expect(last([data('b', 2, 'b'), data('b', 2, 'c')])).toMatchObject({
      kept: [{ origin: 'b', sequence: 2, missing: [] }],
      value: 'settled',
    });
  });

  it('[AM10] after a restart a member waits again for what stable storage says is not answered', () => {
    const kept = [
      { origin: 'a', sequence: 4, data: 'a4', missing: ['c'], left: 1 },
      { origin: 'b', sequence: 9, data: 'b9', missing: [], left: 1 },
    ];
    const { state } = start(machine, 'a', {
      ...input,
      sequence: 4,
      delivered: { a: 4, b: 7, c: 0 },
      kept,
    });
    expect([state.timers.map(({ id }) => id), state.value]).toEqual([['a 4'], 'awaiting']);
    const again = { sequence: 4, delivered: { a: 4, b: 7, c: 0 }, kept };
    expect(last([multicast('a5')], again).done[0]).toEqual(deliver('a', 5));
    expect(last([data('b', 8, 'b')], again).done.slice(-2)).toEqual([
      deliver('b', 8),
      deliver('b', 9),
    ]);
    expect(last([data('b', 7, 'b')], again).done).toEqual([send('b', ack('b', 7))]);
  });
});
