import { assertEvent, emit, enqueueActions, setup } from 'xstate';
import { type Self, tiny } from '../protocol/examples.contract.js';
import { type Effect, type Received, send } from '../protocol/node.js';
import type { TraceEvent } from '../trace/trace.js';
import type { Exploration } from './explore.js';

// `a` throws a ball at its start, and the ball moves forever. A node may put it down only when it
// gets that command.

type Ball = { type: 'ball' };

const thrower = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'stop' } | Received<Ball>;
    emitted: Effect<Ball>;
  },
  actions: {
    serve: enqueueActions(({ context, enqueue }) => {
      if (context.self === 'a') enqueue.emit(send(context.peers[0] ?? '', { type: 'ball' }));
    }),
    back: emit(({ event }) => {
      assertEvent(event, 'ball');
      return send(event.from, { type: 'ball' });
    }),
  },
}).createMachine({
  context: ({ input }) => input,
  initial: 'playing',
  entry: 'serve',
  states: {
    playing: { tags: 'waiting', on: { ball: { actions: 'back' }, stop: 'tired' } },
    tired: { on: { ball: 'done' } },
    done: { on: { ball: {} } },
  },
});

export const tennis = tiny(thrower, {
  name: 'tennis',
  channels: { order: 'fifo', loss: false, duplication: false },
  messages: { ball: { meaning: 'yours' } },
  commands: { stop: { kind: 'optional', meaning: 'put it down when it comes' } },
});

// A node that has not greeted does not handle a greeting.

const greeter = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'greet' } | Received<{ type: 'hello' }>;
    emitted: Effect<{ type: 'hello' }>;
  },
  actions: {
    hello: enqueueActions(({ context, enqueue }) => {
      for (const peer of context.peers) enqueue.emit(send(peer, { type: 'hello' }));
    }),
  },
}).createMachine({
  context: ({ input }) => input,
  initial: 'asleep',
  states: {
    asleep: { tags: 'waiting', on: { greet: { target: 'awake', actions: 'hello' } } },
    awake: { on: { hello: {} } },
  },
});

export const greetings = tiny(greeter, {
  name: 'greetings',
  messages: { hello: { meaning: 'hello' } },
  commands: { greet: { kind: 'optional', meaning: 'say hello' } },
});

export const finding = (found: Exploration, name: string) => {
  const property = found.properties.find((one) => one.name === name);
  if (!property) throw new Error(`no property '${name}'`);
  return property;
};
export const verdicts = (found: Exploration) => found.properties.map(({ verdict }) => verdict);
export const kinds = (found: Exploration, name: string): TraceEvent['kind'][] =>
  finding(found, name).trace?.lines.map(({ event }) => event.kind) ?? [];
