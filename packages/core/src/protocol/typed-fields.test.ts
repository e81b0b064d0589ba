import { expect, it } from 'vitest';
import { setup } from 'xstate';
import * as needs from '../topology/needs.js';
import { defineProtocol } from './define-protocol.js';
import { type Effect, type NodeId, type Received, send } from './node.js';
import { type CommandShape, role, type Shape } from './protocol.js';

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
const rally = (messages: { ball: Shape<'stroke'> }, commands: { serve: CommandShape<'hard'> }) =>
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
