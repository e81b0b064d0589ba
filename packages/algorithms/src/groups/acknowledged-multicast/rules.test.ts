/** Each rule of the page, at member a of a group of three. */
import { start, step } from '@conclave/core/internal';
import { notify, send } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { type Input, machine, silentMachine } from './acknowledged-multicast.js';
import { acknowledgedMulticast } from './protocol.js';

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

  it('refuses options that make no sense', () => {
    expect(() => acknowledgedMulticast({ timeout: 0 })).toThrow(
      'acknowledgedMulticast: timeout is 0. Give a number of milliseconds above 0',
    );
    expect(() => acknowledgedMulticast({ patience: Infinity })).toThrow(
      'acknowledgedMulticast: patience is Infinity.',
    );
    expect(() => acknowledgedMulticast({ retransmissions: -1 })).toThrow(
      'retransmissions is -1. Give a whole number, 0 or more.',
    );
    expect(() => acknowledgedMulticast({ relay: 'often' as 'first' })).toThrow(
      "relay is 'often'. Give one of 'first', 'silence', 'never'.",
    );
  });
});
