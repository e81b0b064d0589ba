import { expect, it } from 'vitest';
import { setup } from 'xstate';
import { ConclaveError } from '../base/error.js';
import * as needs from '../topology/needs.js';
import { defineProtocol } from './define-protocol.js';
import { choose, type Effect, type NodeId, notify, ofNode, type Received, send } from './node.js';
import { type ProtocolDefinition, role, type Shape } from './protocol.js';
import { hasField, inputAgain } from './stable.js';

it('effects are plain data', () => {
  expect(send('b', { type: 'request', ts: 1 })).toEqual({
    type: 'send',
    to: 'b',
    message: { type: 'request', ts: 1 },
  });
  expect(notify({ type: 'entered' })).toEqual({
    type: 'notify',
    notification: { type: 'entered' },
  });
  expect(choose(1, 'two', null)).toEqual({ type: 'choose', options: [1, 'two', null] });
});

it('ConclaveError says what is wrong, then what to try, and keeps both and the cause', () => {
  const cause = new Error('deep down');
  const error = new ConclaveError('bad-input', 'It is wrong', 'Do it right.', { cause });
  expect(error).toMatchObject({
    name: 'ConclaveError',
    code: 'bad-input',
    cure: 'Do it right.',
    cause,
  });
  expect(error.message).toBe('It is wrong. Do it right.');
  expect(new ConclaveError('closed', 'It is over').message).toBe('It is over');
});

it('a record has only its own entries', () => {
  for (const id of ['constructor', '__proto__', 'toString']) {
    expect(ofNode({ a: 1 }, id)).toBeUndefined();
    expect(ofNode({ a: 1, [id]: 2 }, id)).toBe(2);
  }
});

type Message = { readonly type: 'ball'; readonly stroke: number };
type Command = { readonly type: 'serve'; readonly hard: boolean };
type Input = { readonly next: NodeId };

const player = setup({
  types: {} as {
    input: Input;
    context: Input;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
});
const machine = player.createMachine({
  context: ({ input }) => input,
  on: { ball: {}, serve: {} },
});

const ball = { fields: ['stroke'], meaning: 'it is yours' } as const;
const serve = {
  kind: 'optional',
  fields: ['hard'],
  examples: [{ hard: true }],
  meaning: 'bring the ball into play',
} as const;
const next = (self: NodeId): Input => ({ next: self });
const rally = (
  messages: { ball: Shape<'stroke'> },
  commands: ProtocolDefinition<Message, Command>['commands'],
) =>
  defineProtocol<Message, Command>({
    name: 'rally',
    title: 'Rally',
    problem: 'game',
    citation: 'none',
    topology: needs.oneWayRing,
    channels: { order: 'any', loss: false, duplication: false },
    roles: { player: role({ machine, input: next }) },
    messages,
    commands,
    properties: [],
  });

it('fields are those of the types of messages, commands and input; a misspelt one does not compile', () => {
  expect(rally({ ball }, { serve }).messages.ball?.fields).toEqual(['stroke']);
  // @ts-expect-error: strok
  expect(rally({ ball: { ...ball, fields: ['strok'] } }, { serve }).messages.ball?.fields).toEqual([
    'strok',
  ]);
  // @ts-expect-error: haard
  const misspelt = () => rally({ ball }, { serve: { ...serve, examples: [{ haard: true }] } });
  expect(misspelt).toThrow("has the fields 'haard'");
  // @ts-expect-error: nextt
  expect(role({ machine, input: (self) => ({ nextt: self }) }).stable).toBeUndefined();
  // @ts-expect-error: strok
  expect(player.emit(({ context }) => send(context.next, { type: 'ball', strok: 1 }))).toBeTypeOf(
    'function',
  );
});

const input = { self: 'a', epoch: 0, part: { self: 'a', entries: 0 } };
const context = { self: 'a', epoch: 3, rest: 7, part: { entries: 5, queue: ['b'] } };

it('a node that restarts gets its first input, and its stable fields', () => {
  expect(inputAgain(input, context, [])).toEqual(input);
  expect(inputAgain(input, context, ['epoch'])).toEqual({ ...input, epoch: 3 });
  expect(inputAgain(input, context, ['rest'])).toEqual({ ...input, rest: 7 });
});

it('also a composed part, with its other fields as in the first input', () => {
  expect(inputAgain(input, context, ['epoch', 'part.entries'])).toEqual({
    self: 'a',
    epoch: 3,
    part: { self: 'a', entries: 5 },
  });
  expect(inputAgain({ part: null }, context, ['part.entries'])).toEqual({ part: { entries: 5 } });
});

it('returns whether there is such a field', () => {
  expect(['epoch', 'part', 'part.entries'].map((field) => hasField(context, field))).toEqual([
    true,
    true,
    true,
  ]);
  expect(
    ['age', 'part.age', 'epoch.part', 'constructor'].map((field) => hasField(context, field)),
  ).toEqual([false, false, false, false]);
});
