import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine, emit } from 'xstate';
import { complete } from '../topology/generators.js';
import * as needs from '../topology/needs.js';
import { type Host, NodeActor } from './actor.js';
import { calls, cards, centralLock, withMachine } from './examples.contract.js';
import { stateText } from './handles.js';
import { choose, type Json, notify, type Stimulus, send } from './node.js';
import type { Protocol } from './protocol.js';

interface Seen {
  readonly stimulus: Stimulus;
  readonly states: readonly (string | undefined)[];
  readonly effects: readonly unknown[];
}

/**
 * A node on a host that records its steps, fires timers by hand and answers choices with `answers`,
 * in turn.
 */
function onBench(protocol: Protocol, answers: readonly Json[] = []) {
  const seen: Seen[] = [];
  const armed = new Map<string, () => void>();
  const asked: (readonly Json[])[] = [];
  const host: Host = {
    clock: {
      setTimeout: (fire, delay, timer = '') => {
        armed.set(`${timer} ${delay}`, fire);
        return `${timer} ${delay}`;
      },
      clearTimeout: (handle) => armed.delete(String(handle)),
    },
    stepped: (node, stimulus, before, effects) =>
      seen.push({
        stimulus,
        states: [before && stateText(before.value), stateText(node.value)],
        effects,
      }),
    choose: (_node, options) => {
      asked.push(options);
      return answers[asked.length - 1] ?? null;
    },
  };
  const node = new NodeActor(protocol, complete(2), 'a', host);
  const fire = (timer: string) => {
    const call = armed.get(timer);
    armed.delete(timer);
    if (!call) throw new Error(`${timer} is not armed`);
    call();
  };
  return { node, seen, armed, asked, fire };
}

const event = (type: string, fields: object = {}) => ({ type, ...fields });
const ring = 'xstate.after.ring.(machine).calling';
/** Without `defineProtocol`, which would refuse some. */
const running = (config: object, answers: readonly Json[] = []) => {
  const machine: AnyStateMachine = createMachine(config);
  return onBench(withMachine(cards, machine), answers);
};

describe('NodeActor', () => {
  it('reports each step to its host: the event, the states before and after, the effects in written order', () => {
    const { node, seen } = onBench(calls);
    node.start();
    node.receive(event('call'));
    expect(seen).toEqual([
      { stimulus: { kind: 'start' }, states: [undefined, 'idle'], effects: [] },
      {
        stimulus: { kind: 'event', event: event('call') },
        states: ['idle', 'calling'],
        effects: [
          send('b', event('ping', { n: 1 })),
          { type: 'start', timer: { id: ring, delay: 10, event: event(ring) } },
        ],
      },
    ]);
  });

  it('is a view: role, value, context, tags', () => {
    const { node } = onBench(calls);
    node.start();
    node.receive(event('call'));
    expect(node).toMatchObject({
      id: 'a',
      role: 'node',
      value: 'calling',
      context: { calls: 1 },
      crashed: false,
    });
    expect([...node.tags]).toEqual(['waiting']);
    const silent: Host = {
      clock: { setTimeout: () => 0, clearTimeout: () => {} },
      stepped: () => {},
      choose: () => null,
    };
    const keeper = new NodeActor(centralLock, needs.star.example(2), 'a', silent);
    expect(keeper.role).toBe('keeper');
  });

  it('does not lose messages that entry actions send at the start', () => {
    const { node, seen } = running({
      entry: [emit(send('b', event('hello'))), emit(notify(event('up')))],
    });
    node.start();
    expect(seen[0]?.effects).toEqual([send('b', event('hello')), notify(event('up'))]);
  });

  it('keeps the effects of steps apart, also when the host acts on the node during a report', () => {
    const machine = createMachine({
      on: {
        go: {},
        ask: { actions: emit(choose(1, 2)) },
        chosen: { actions: emit(notify(event('thanks'))) },
      },
    });
    const protocol = withMachine(cards, machine);
    const told: (readonly { type: string }[])[] = [];
    const host: Host = {
      clock: { setTimeout: () => 0, clearTimeout: () => {} },
      stepped: (node, stimulus, _before, effects) => {
        told.push(effects);
        if (stimulus.kind === 'event' && stimulus.event.type === 'go') node.receive(event('ask'));
      },
      choose: () => 1,
    };
    const node = new NodeActor(protocol, complete(2), 'a', host);
    node.start();
    node.receive(event('go'));
    expect(told.map((effects) => effects.map(({ type }) => type))).toEqual([
      [],
      [],
      ['choose'],
      ['notify'],
    ]);
  });
});

it('choices are answered one by one before other events, with the consequences of an answer first', () => {
  const { node, seen, asked } = onBench(cards, [1, 'high', 'ace', 'left']);
  node.start();
  node.receive(event('play'));
  expect(asked).toEqual([
    [1, 2],
    ['high', 'low'],
    ['king', 'ace'],
    ['left', 'right'],
  ]);
  expect(node.context.drawn).toEqual([1, 'high', 'ace', 'left']);
  expect(
    seen.map(({ stimulus }) => (stimulus.kind === 'event' ? stimulus.event : stimulus.kind)),
  ).toEqual([
    'start',
    { type: 'chosen', value: 1 },
    { type: 'play' },
    ...['high', 'ace', 'left'].map((value) => ({ type: 'chosen', value })),
  ]);
});

describe('a crash', () => {
  it('keeps the last state visible, but no tags', () => {
    const { node } = onBench(calls);
    node.start();
    node.receive(event('call'));
    node.crash();
    expect([node.crashed, node.value, node.context.calls, node.tags.size]).toEqual([
      true,
      'calling',
      1,
      0,
    ]);
  });

  it('is followed by a restart: the initial state, plus the stable fields', () => {
    const { node, seen } = onBench(calls);
    node.start();
    node.receive(event('call'));
    node.crash();
    node.restart();
    expect([node.crashed, node.value, node.context]).toEqual([
      false,
      'idle',
      { self: 'a', peers: ['b'], calls: 1, tries: 0 },
    ]);
    expect(seen.at(-1)).toEqual({
      stimulus: { kind: 'restart' },
      states: [undefined, 'idle'],
      effects: [],
    });
    node.receive(event('call'));
    expect(node.context.calls).toBe(2);
  });

  it('forgets everything without stable fields, and runs the entry actions and their choices again', () => {
    const { node, seen } = onBench(cards, [1, 2, 3]);
    node.start();
    node.crash();
    node.restart();
    expect(node.context.drawn).toEqual([2]);
    expect(seen.map(({ stimulus }) => stimulus.kind)).toEqual([
      'start',
      'event',
      'restart',
      'event',
    ]);
  });
});
