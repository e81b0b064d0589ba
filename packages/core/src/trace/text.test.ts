import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../protocol/node.js';
import { parseCall, parseTrace, parseValue } from './parse.js';
import {
  callText,
  linesText,
  type Trace,
  type TraceEffect,
  type TraceEvent,
  type TraceLine,
  traceText,
  valueText,
} from './trace.js';

const example = `\
a  acquire            released → wanted  ⇒ b: request(1)
b  request(1) from a  released           ⇒ a: reply
a  reply from b       wanted → held
`;

/** Strings that look like the trace's own punctuation. */
const trickyString = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        '  ',
        ', ',
        ' from ',
        ' → ',
        '⇒ ',
        '"',
        '\\',
        '\n',
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        ': ',
        '#',
        'b',
        '\u2028',
        'true',
      ),
    )
    .map((parts) => parts.join('')),
  fc.constantFrom('true', 'null', '12', '', 'new-york', 'a from b', 'start', '{', '_x.y-z'),
);

const value: fc.Arbitrary<Json> = fc
  .letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(
        trickyString,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(trickyString, tie('value'), { maxKeys: 3 }),
    ),
  }))
  .value.map((data) => JSON.parse(JSON.stringify(data)) as Json); // −0 becomes 0

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}(-[a-z0-9]{1,3})?$/);
const id = fc.oneof(
  word,
  fc.constantFrom('new-york', '10.0.0.1:80', 'Zürich', 'n1', '7', 'start', 'ms'),
);
const call = fc
  .tuple(
    fc.oneof(
      word,
      fc.constantFrom(
        'start',
        'crash',
        'restart',
        'drop',
        'duplicate',
        'cut',
        'heal',
        'notify',
        'from',
        'timeout',
      ),
    ),
    fc.array(value, { maxLength: 3 }),
  )
  .map(([type, values]) =>
    values.length === 0 ? type : `${type}(${values.map(valueText).join(', ')})`,
  );
const state = fc.constantFrom(
  'released',
  'wanted',
  'client.wanted & voter.free',
  'a.(b & c).d',
  'critical section',
);
const timer = fc.constantFrom('retry.m.s', '1000.ring.active', 'long wait.m');

const event: fc.Arbitrary<TraceEvent> = fc.oneof(
  fc.record({ kind: fc.constantFrom('start' as const, 'crash' as const, 'restart' as const) }),
  fc.record({ kind: fc.constant('command' as const), call }),
  fc.record({
    kind: fc.constantFrom('deliver' as const, 'drop' as const, 'duplicate' as const),
    call,
    from: id,
  }),
  fc.record({ kind: fc.constantFrom('cut' as const, 'heal' as const), from: id }),
  fc.record({ kind: fc.constant('timeout' as const), timer }),
  fc.record({ kind: fc.constant('chosen' as const), value: value.map(valueText) }),
);

const effect: fc.Arbitrary<TraceEffect> = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), to: id, call }),
  fc.record({ kind: fc.constant('notify' as const), call }),
  fc.record({
    kind: fc.constant('choose' as const),
    options: fc.array(value, { minLength: 1 }).map((all) => all.map(valueText).join(' | ')),
  }),
  fc.record({
    kind: fc.constant('start' as const),
    timer,
    delay: fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e9, noNaN: true }).map(Math.abs)),
  }),
  fc.record({ kind: fc.constant('cancel' as const), timer }),
);

const channelEvents = ['drop', 'duplicate', 'cut', 'heal'];

const line = (timed: boolean): fc.Arbitrary<TraceLine> =>
  fc
    .record({
      time: fc.nat().map((us) => us / 1000),
      node: id,
      event,
      before: state,
      after: state,
      effects: fc.array(effect, { maxLength: 3 }),
    })
    .map(({ time, node, event, before, after, effects }) => {
      const states =
        event.kind === 'start' || event.kind === 'restart' ? { after } : { before, after };
      const happened = channelEvents.includes(event.kind)
        ? { effects: [] }
        : { ...states, effects };
      return { ...(timed ? { time } : {}), node, event, ...happened };
    });

const header = fc
  .uniqueArray(
    fc.tuple(
      word,
      fc.constantFrom('ricart-agrawala (A3)', 'ring:8', '7', '', 'any, uniform:4:24', '{"k":2}'),
    ),
    {
      selector: ([key]) => key,
    },
  )
  .map((entries) => new Map(entries));

const trace: fc.Arbitrary<Trace> = fc
  .boolean()
  .chain((timed) => fc.record({ header, lines: fc.array(line(timed), { maxLength: 8 }) }));

describe('the text form', () => {
  it('prints and reads the example of the style guide', () => {
    const { lines } = parseTrace(example);
    expect(lines).toEqual([
      {
        node: 'a',
        event: { kind: 'command', call: 'acquire' },
        before: 'released',
        after: 'wanted',
        effects: [{ kind: 'send', to: 'b', call: 'request(1)' }],
      },
      {
        node: 'b',
        event: { kind: 'deliver', call: 'request(1)', from: 'a' },
        before: 'released',
        after: 'released',
        effects: [{ kind: 'send', to: 'a', call: 'reply' }],
      },
      {
        node: 'a',
        event: { kind: 'deliver', call: 'reply', from: 'b' },
        before: 'wanted',
        after: 'held',
        effects: [],
      },
    ]);
    expect(linesText(lines)).toBe(example);
  });

  it('reads columns that are not aligned, comments, Windows line ends and blank lines', () => {
    const loose = [
      '# protocol: x',
      '# a remark',
      '',
      'a  acquire  released → wanted  ⇒ b: request(1)',
      'b     request(1) from a\treleased  ⇒ a: reply',
      '  a  reply from b  wanted → held',
    ].join('\r\n');
    expect(linesText(parseTrace(loose).lines)).toBe(example);
    expect([...parseTrace(loose).header]).toEqual([['protocol', 'x']]);
  });

  it('aligns times to the right and puts the header first', () => {
    const effects: TraceEffect[] = [];
    const lines: TraceLine[] = [
      {
        time: 9.5,
        node: 'a',
        event: { kind: 'start' },
        after: 'idle',
        effects: [{ kind: 'start', timer: 'retry.m.s', delay: 12.5 }],
      },
      {
        time: 22,
        node: 'new-york',
        event: { kind: 'timeout', timer: 'retry.m.s' },
        before: 'idle',
        after: 'idle',
        effects,
      },
      { time: 22.0004, node: 'a', event: { kind: 'crash' }, effects },
    ];
    const text = traceText({ header: new Map([['topology', 'ring:2']]), lines });
    expect(text).toBe(
      [
        '# conclave-trace: 1',
        '# topology: ring:2',
        ' 9.500ms  a         start              idle  ⇒ start retry.m.s 12.5ms',
        '22.000ms  new-york  timeout retry.m.s  idle',
        '22.000ms  a         crash',
        '',
      ].join('\n'),
    );
  });

  it('has a version line, which is not in the header; a text without it is accepted, a later version is not', () => {
    const trace = { header: new Map([['topology', 'ring:2']]), lines: [] };
    expect(traceText(trace)).toBe('# conclave-trace: 1\n# topology: ring:2\n');
    for (const text of [traceText(trace), '# topology: ring:2\n'])
      expect(parseTrace(text)).toEqual(trace);
    for (const version of ['2', 'new', ''])
      expect(() => parseTrace(`# conclave-trace: ${version}\n`, 'log')).toThrow(
        expect.objectContaining({
          code: 'bad-trace',
          message: `log: its form has version '${version}', and this Conclave reads versions up to 1. Take the Conclave that wrote it, or a newer one.`,
        }),
      );
  });

  it('may have long lines, and refuses those that cannot be steps', () => {
    const step = (length: number) => `a  ${'x'.repeat(length)}  idle`;
    expect(parseTrace(step(900_000)).lines).toHaveLength(1);
    const topology = 'x'.repeat(5_000_000); // a large network, in full
    expect(parseTrace(`# topology: ${topology}\n`).header.get('topology')).toBe(topology);
    expect(() => parseTrace(`\n${step(5_000_000)}`, 'log')).toThrow(
      expect.objectContaining({
        code: 'bad-trace',
        message:
          'log:2: a line of 5000009 characters. A step has at most 1000000. Is this a trace?',
      }),
    );
  });

  it('distinguishes a command called start from the start of a node', () => {
    const lines: TraceLine[] = [
      {
        node: 'a',
        event: { kind: 'command', call: 'start' },
        before: 'idle',
        after: 'busy',
        effects: [],
      },
      {
        node: 'a',
        event: { kind: 'deliver', call: 'cut', from: 'b' },
        before: 'busy',
        after: 'busy',
        effects: [],
      },
    ];
    expect(linesText(lines)).toBe('a  start()       idle → busy\na  cut() from b  busy\n');
    expect(parseTrace(linesText(lines)).lines).toEqual(lines);
  });

  it.each<TraceEvent>([
    { kind: 'chosen', value: '"a from b"' },
    { kind: 'command', call: 'say("a from b")' },
    { kind: 'deliver', call: 'say("drop x from b", ["a  b"])', from: 'new-york' },
    { kind: 'deliver', call: 'drop', from: 'a' },
    { kind: 'drop', call: 'say("\\" from b  ⇒ a")', from: '10.0.0.1:80' },
  ])('parses the event %j back', (event) => {
    const lines = [{ node: 'a', event, before: 's', after: 't', effects: [] }];
    expect(parseTrace(linesText(lines)).lines).toEqual(lines);
  });

  it('parses back to the same trace', () => {
    assertRuns(
      fc.property(trace, (original) => {
        const text = traceText(original);
        const read = parseTrace(text);
        expect(read.lines).toEqual(original.lines);
        expect([...read.header]).toEqual([...original.header]);
        expect(traceText(read)).toBe(text);
      }),
      30,
      400,
    );
  });

  it.each([
    [
      'a',
      "log:1: not a step: 'a'. A line reads like 'a  acquire  released → wanted  ⇒ b: request(1)', its columns two spaces apart.",
    ],
    ['# seed: 1\n\na  acquire  released  wanted  held', 'log:3: not a step'],
    ['1.000ms  a', "log:1: not a step: '1.000ms  a'"],
    ['a  acquire  released → wanted ⇒ b: request(1)', "log:1: only one space before '⇒'"],
    ['a  acquire  released  ⇒ b request(1)', "log:1: 'b request(1)' is no effect"],
    ['a  acquire  released  ⇒ b: reply, wait', "log:1: 'wait' is no effect"],
    ['a  acquire  released  ⇒ start retry soon', "log:1: 'start retry soon' is no effect"],
    ['a  acquire  released  ⇒ b: request(1', 'log:1: a bracket or quote without its partner'],
    ['a  acquire  released  ⇒ b: request(1))', 'log:1: a bracket or quote without its partner'],
    ['a  acquire  released  ⇒ b: say("x)', 'log:1: a bracket or quote without its partner'],
  ])('refuses %j', (text, message) => {
    expect(() => parseTrace(text, 'log')).toThrow(message);
    expect(() => parseTrace(text, 'log')).toThrow(expect.objectContaining({ code: 'bad-trace' }));
  });
});

describe('values', () => {
  it.each<[Json, string]>([
    ['new-york', 'new-york'],
    ['true', '"true"'],
    ['two words', '"two words"'],
    ['a  "b"\n', '"a  \\"b\\"\\n"'],
    [[1, [true, null]], '[1, [true, null]]'],
    [{ ts: 1.5, 'a b': ['x'] }, '{ts: 1.5, "a b": [x]}'],
    [{}, '{}'],
  ])('prints %j as %s', (value, text) => {
    expect(valueText(value)).toBe(text);
    expect(parseValue(text)).toEqual(value);
  });

  it('parse back to the same values, on one line', () => {
    fc.assert(
      fc.property(value, (original) => {
        expect(valueText(original)).not.toContain('\n');
        expect(parseValue(valueText(original))).toEqual(original);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    '',
    'two words',
    '[1, 2',
    '[1, [2]',
    '[1,]',
    '[1)',
    '{a}',
    '{a: 1, b}',
    '{: 1}',
    '"open',
    '01',
    'NaN )',
  ])('refuses %j', (text) => {
    expect(() => parseValue(text)).toThrow(
      /is not a value\. Write words plainly, other strings in double quotes\.$/,
    );
  });
});

describe('calls', () => {
  const vocabulary = { request: { fields: ['ts', 'from-node'] }, reply: {} };

  it('print their fields in the declared order, from any order', () => {
    const message = { from: 'a', 'from-node': 'x, y', ts: 1, type: 'request' };
    expect(callText(vocabulary, message)).toBe('request(1, "x, y")');
    expect(callText(vocabulary, { type: 'reply' })).toBe('reply');
  });

  it('parse back to the same calls', () => {
    fc.assert(
      fc.property(value, value, (ts, node) => {
        const message = { type: 'request', ts, 'from-node': node };
        expect(parseCall(vocabulary, callText(vocabulary, message))).toEqual(message);
      }),
    );
    expect(parseCall(vocabulary, 'reply')).toEqual({ type: 'reply' });
  });

  it('print - for an optional field that is absent, and - in quotes for the text', () => {
    const moves = { move: { fields: ['x', 'y'], optionalFields: ['x', 'y'] } };
    const cases: [message: { type: string; x?: string; y?: number }, text: string][] = [
      [{ type: 'move', y: 2 }, 'move(-, 2)'],
      [{ type: 'move', x: '-' }, 'move("-", -)'],
      [{ type: 'move' }, 'move(-, -)'],
    ];
    for (const [message, text] of cases) {
      expect(callText(moves, message)).toBe(text);
      expect(parseCall(moves, text)).toEqual(message);
    }
    expect(() => parseCall(vocabulary, 'request(1, -)')).toThrow("'-' is not a value");
  });

  it('refuse fields that are missing or not declared', () => {
    expect(() => callText(vocabulary, { type: 'request' })).toThrow(
      "'request' carries (), but its protocol declares (ts, from-node)",
    );
    expect(() => callText(vocabulary, { type: 'reply', to: 'b' } as { type: string })).toThrow(
      "'reply' carries (to), but its protocol declares (). Declare its fields under messages or commands.",
    );
  });

  it.each([
    'request',
    'request(1)',
    'request(1, 2, 3)',
    'reply(1)',
    'request(1, 2',
    'ask',
    'constructor',
    '',
  ])('refuse %j', (text) => {
    expect(() => parseCall(vocabulary, text)).toThrow(
      `'${text}' is none of request(ts, from-node), reply`,
    );
  });

  it('refuse text that is not a value', () => {
    expect(() => parseCall(vocabulary, 'request(1, a b)')).toThrow("'a b' is not a value");
  });
});
