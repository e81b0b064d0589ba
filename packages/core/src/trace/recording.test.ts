import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calls, cards } from '../protocol/examples.contract.js';
import { choose, notify, send } from '../protocol/node.js';
import { complete } from '../topology/generators.js';
import { matchMessages } from './matching.js';
import { parseTrace } from './parse.js';
import { effectOf, eventOf, timerName, traceHeader, traceLine } from './recording.js';
import { StateHashes, stateHash } from './state-hash.js';

const event = (type: string, fields: object = {}) => ({ type, ...fields });
const after = (retry: string) => `xstate.after.${retry}.m.calling`;

describe('an event', () => {
  it.each([
    ['a start', { kind: 'start' }, { kind: 'start' }],
    ['a restart', { kind: 'restart' }, { kind: 'restart' }],
    [
      'a time-out',
      { kind: 'timeout', timer: after('ring') },
      { kind: 'timeout', timer: 'ring.m.calling' },
    ],
    [
      'the timeout of a delayed raise',
      { kind: 'timeout', timer: 'hurry' },
      { kind: 'timeout', timer: 'hurry' },
    ],
    ['a command', { kind: 'event', event: event('call') }, { kind: 'command', call: 'call' }],
    [
      'a message',
      { kind: 'event', event: event('ping', { n: 3, from: 'b' }) },
      { kind: 'deliver', call: 'ping(3)', from: 'b' },
    ],
    [
      'a choice',
      { kind: 'event', event: event('chosen', { value: { a: ['x y'] } }) },
      { kind: 'chosen', value: '{a: ["x y"]}' },
    ],
    [
      'a choice of null',
      { kind: 'event', event: event('chosen', { value: null }) },
      { kind: 'chosen', value: 'null' },
    ],
  ] as const)('%s', (_what, stimulus, expected) => {
    expect(eventOf(calls, stimulus)).toEqual(expected);
  });

  it('must belong to the protocol', () => {
    const carries = (stimulus: object) => () =>
      eventOf(calls, { kind: 'event', event: event('ping', { from: 'b', ...stimulus }) });
    expect(carries({})).toThrow(
      expect.objectContaining({
        code: 'bad-protocol',
        message:
          "'ping' carries (), but its protocol declares (n). Declare its fields under messages or commands.",
      }),
    );
    expect(carries({ n: 1, m: 2 })).toThrow("'ping' carries (n, m), but its protocol declares (n)");
    expect(carries({ n: undefined })).toThrow("'ping' carries (n), but its protocol declares (n)");
  });
});

describe('effects', () => {
  it('are named as in a trace', () => {
    const timer = { id: after('ring'), delay: 10, event: event('x') };
    expect(effectOf(calls, send('b', event('ping', { n: 1 })))).toEqual({
      kind: 'send',
      to: 'b',
      call: 'ping(1)',
    });
    expect(effectOf(calls, notify(event('answered')))).toEqual({
      kind: 'notify',
      call: 'answered',
    });
    expect(effectOf(calls, notify(event('gave-up', { tries: 2, who: 'b c' })))).toEqual({
      kind: 'notify',
      call: 'gave-up(2, "b c")',
    });
    expect(effectOf(cards, choose('high', 2, 'two words'))).toEqual({
      kind: 'choose',
      options: 'high | 2 | "two words"',
    });
    expect(effectOf(calls, { type: 'start', timer })).toEqual({
      kind: 'start',
      timer: 'ring.m.calling',
      delay: 10,
    });
    expect(effectOf(calls, { type: 'cancel', timer: timer.id })).toEqual({
      kind: 'cancel',
      timer: 'ring.m.calling',
    });
  });

  it('name timers without the prefix of XState', () => {
    expect(['xstate.after.5.m', 'my.xstate.after.5', 'x'].map(timerName)).toEqual([
      '5.m',
      'my.xstate.after.5',
      'x',
    ]);
  });
});

describe('a line', () => {
  const step = {
    node: 'a',
    stimulus: { kind: 'event', event: event('call') },
    after: { client: 'busy', server: 'free' },
    effects: [],
  } as const;

  it('has the states as texts, and the time if there is one', () => {
    const line = {
      node: 'a',
      event: { kind: 'command', call: 'call' },
      after: 'client.busy & server.free',
      effects: [],
    };
    expect(traceLine(calls, step)).toEqual(line);
    expect(traceLine(calls, { ...step, time: 0, before: 'idle' })).toEqual({
      time: 0,
      ...line,
      before: 'idle',
    });
  });
});

describe('the header', () => {
  it('holds everything that a replay needs', () => {
    const header = new Map(traceHeader(calls, complete(2)));
    expect([header.get('protocol'), header.get('topology'), header.has('options')]).toEqual([
      'calls',
      'complete:2',
      false,
    ]);
    const options = { greedy: true, limit: 3 };
    expect(new Map(traceHeader({ ...calls, options }, complete(2))).get('options')).toBe(
      '{"greedy":true,"limit":3}',
    );
  });
});

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
