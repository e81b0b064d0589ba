import { describe, expect, it } from 'vitest';
import { calls, cards } from '../protocol/examples.contract.js';
import { choose, notify, send } from '../protocol/node.js';
import { complete } from '../topology/generators.js';
import { effectOf, eventOf, timerName, traceHeader, traceLine } from './recording.js';

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
