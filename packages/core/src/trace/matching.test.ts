import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchMessages } from './matching.js';
import { parseTrace } from './parse.js';
import { StateHashes, stateHash } from './state-hash.js';

const matched = (text: string) =>
  matchMessages(parseTrace(text)).map(({ from, to, call, sent, delivered, lost, inFlight }) => ({
    message: `${from}→${to} ${call}`,
    sent,
    delivered,
    lost,
    inFlight,
  }));

describe('matchMessages', () => {
  it('follows each message of a run, overtaken or not, in the order of sending', () => {
    expect(
      matched(`
        a  go  s  ⇒ b: x(1), b: x(2), c: x(1)
        b  x(2) from a  s  ⇒ a: y
        b  x(1) from a  s
        a  y from b  s
      `),
    ).toEqual([
      { message: 'a→b x(1)', sent: 0, delivered: [2], lost: [], inFlight: 0 },
      { message: 'a→b x(2)', sent: 0, delivered: [1], lost: [], inFlight: 0 },
      { message: 'a→c x(1)', sent: 0, delivered: [], lost: [], inFlight: 1 },
      { message: 'b→a y', sent: 1, delivered: [3], lost: [], inFlight: 0 },
    ]);
  });

  it('assumes that the first of equal messages on a channel arrives first', () => {
    const text =
      'a  go  s  ⇒ b: x\nb  x from a  s\na  go  s  ⇒ b: x\na  go  s  ⇒ b: x\nb  x from a  s';
    expect(matched(text).map(({ sent, delivered }) => [sent, delivered])).toEqual([
      [0, [1]],
      [2, [4]],
      [3, []],
    ]);
  });

  it('gives a duplicated message two arrivals', () => {
    const text =
      'a  go  s  ⇒ b: x\nb  duplicate x from a\nb  x from a  s\na  go  s  ⇒ b: x\nb  x from a  s\nb  x from a  s';
    expect(matched(text).map(({ sent, delivered }) => [sent, delivered])).toEqual([
      [0, [2, 4]],
      [3, [5]],
    ]);
  });

  it('assumes that a loss at the time of a send is the message just sent', () => {
    const text =
      '1.000ms  a  go  s  ⇒ b: x\n2.000ms  a  go  s  ⇒ b: x\n2.000ms  b  drop x from a\n3.000ms  b  x from a  s';
    expect(matched(text).map(({ sent, delivered, lost }) => [sent, delivered, lost])).toEqual([
      [0, [3], []],
      [1, [], [2]],
    ]);
  });

  it('assumes that a later loss is the first of equal messages', () => {
    const text =
      '1.000ms  a  go  s  ⇒ b: x\n2.000ms  a  go  s  ⇒ b: x\n2.500ms  b  drop x from a\n3.000ms  b  x from a  s';
    expect(matched(text).map(({ sent, delivered, lost }) => [sent, delivered, lost])).toEqual([
      [0, [], [2]],
      [1, [3], []],
    ]);
  });

  it.each([
    [
      'b  x from a  s',
      'Step 1 (b  x from a): no such message is in flight to b. Is a line before it missing, or were the lines reordered?',
    ],
    [
      'a  go  s  ⇒ b: x\nb  x from a  s\nb  x from a  s',
      'Step 3 (b  x from a): no such message is in flight to b',
    ],
    ['a  go  s  ⇒ b: x(1)\nb  drop x(2) from a', 'Step 2 (b  drop x(2) from a): no such message'],
    [
      'a  go  s  ⇒ b: x\nc  duplicate x from a',
      'Step 2 (c  duplicate x from a): no such message is in flight to c',
    ],
  ])('refuses %j', (text, message) => {
    expect(() => matched(text)).toThrow(message);
    expect(() => matched(text)).toThrow(expect.objectContaining({ code: 'bad-trace' }));
  });
});

it('the hashes of a row of states are those of each state, also where a list was changed in place', () => {
  const list: unknown[] = [1];
  const value = { client: 'idle', voter: { bound: 'long' } };
  const item = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.boolean(), fc.constant(null));
  const context = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'é'),
    fc.oneof(item, fc.array(item), fc.constant(list), fc.dictionary(fc.string(), item)),
  );
  const step = fc.record({
    value: fc.oneof(fc.constant(value), fc.constantFrom('held', 'idle')),
    context,
    timers: fc.array(fc.string(), { maxLength: 2 }),
    more: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const hashes = new StateHashes();
      for (const { value, context, timers, more } of steps) {
        if (more) list.push(list.length);
        expect(hashes.of(value, context, timers)).toBe(stateHash(value, context, timers));
      }
    }),
    { numRuns: 50 },
  );
});
