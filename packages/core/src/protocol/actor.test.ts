import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, createMachine, emit, enqueueActions, raise } from 'xstate';
import { complete } from '../topology/generators.js';
import * as needs from '../topology/needs.js';
import { type Host, NodeActor } from './actor.js';
import { calls, cards, centralLock, tiny, withMachine } from './examples.contract.js';
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

describe('an unhandled event', () => {
  it('is an error that names the node, its state, the sender and a remedy, and changes nothing', () => {
    const { node, seen } = onBench(calls);
    node.start();
    expect(() => node.receive(event('reply', { from: 'b' }))).toThrow(
      expect.objectContaining({
        code: 'unhandled',
        message:
          "Node a in 'idle' does not handle 'reply' (from b). List it under on, or ignore it with reply: {}.",
      }),
    );
    expect([node.value, seen.length]).toEqual(['idle', 1]);
    node.receive(event('call'));
    expect(node.value).toBe('calling');
  });

  it('is not an ignored event, nor one without an effect', () => {
    const { node, seen } = onBench(calls);
    node.start();
    node.receive(event('pong', { n: 3, from: 'b' }));
    expect(seen[1]).toMatchObject({ states: ['idle', 'idle'], effects: [] });
  });

  it('is any event at the end of the machine', () => {
    const { node } = running({
      initial: 'a',
      states: { a: { on: { go: 'b' } }, b: { type: 'final' } },
      on: { late: {} },
    });
    node.start();
    node.receive(event('go'));
    expect(() => node.receive(event('late'))).toThrow("Node a in 'b' does not handle 'late'. ");
    expect(node.takes(event('late'))).toBe(false);
  });

  it('can be predicted', () => {
    const { node } = onBench(calls);
    node.start();
    expect([node.takes(event('call')), node.takes(event('reply'))]).toEqual([true, false]);
    node.crash();
    expect(node.takes(event('call'))).toBe(false);
  });
});

describe('choices', () => {
  it('are answered one by one before other events, with the consequences of an answer first', () => {
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
});

describe('timers', () => {
  it('are armed at the host under the id XState gives them, and fire as a step of their own', () => {
    const { node, seen, armed, fire } = onBench(calls);
    node.start();
    node.receive(event('call'));
    expect([[...armed.keys()], node.timers]).toEqual([[`${ring} 10`], [ring]]);
    fire(`${ring} 10`);
    expect(seen.at(-1)).toMatchObject({
      stimulus: { kind: 'timeout', timer: ring },
      states: ['calling', 'calling'],
    });
    expect([[...armed.keys()], node.timers]).toEqual([[`${ring} 10`], [ring]]);
    fire(`${ring} 10`);
    expect([node.value, node.timers]).toEqual(['idle', []]);
    expect(seen.at(-1)?.effects).toEqual([notify(event('gave-up', { tries: 2 }))]);
  });

  it('are cancelled at the host on leaving their state', () => {
    const { node, seen, armed } = onBench(calls);
    node.start();
    node.receive(event('call'));
    node.receive(event('pong', { n: 1, from: 'b' }));
    expect([armed.size, node.timers]).toEqual([0, []]);
    expect(seen.at(-1)?.effects).toEqual([
      { type: 'cancel', timer: ring },
      notify(event('answered')),
    ]);
  });

  it.each(['stop', 'crash'] as const)('are cancelled silently by %s', (end) => {
    const { node, seen, armed } = onBench(calls);
    node.start();
    node.receive(event('call'));
    node[end]();
    expect([armed.size, node.timers, seen.length]).toEqual([0, [], 2]);
  });

  it('may be several at a time', () => {
    const arm = (id: string) => raise(event(id), { id, delay: 5 });
    const { node, armed, fire } = running({
      entry: [arm('x'), arm('y')],
      on: { x: { actions: emit(notify(event('x!'))) }, y: {} },
    });
    node.start();
    expect(node.timers).toEqual(['x', 'y']);
    fire('x 5');
    expect([node.timers, [...armed.keys()]]).toEqual([['y'], ['y 5']]);
  });
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

describe('a machine that breaks the node contract', () => {
  const failing = () => {
    throw new Error('boom');
  };
  const arms = raise(event('late'), { id: 't', delay: 5 });
  const other = raise(event('late'), { id: 'other', delay: 5 });
  const unnamed = enqueueActions(({ enqueue }) => enqueue.raise(event('late'), { delay: 5 }));
  const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const mistakes = [
    ['throws in an assign', assign(failing), 'Node a failed: boom'],
    ['throws in an emit', emit(failing), 'Node a failed: boom'],
    [
      'raises later without an id',
      unnamed,
      "Node a raises 'late' after 5 ms without an id; give the delayed raise one",
    ],
    [
      'arms a timer twice',
      [arms, other, arms],
      "Node a arms the timer 't' while it is still armed; cancel it first",
    ],
    [
      'emits something else',
      emit(event('shout')),
      'Node a emits {"type":"shout"}: there is no such effect',
    ],
    [
      'emits like a timer',
      emit(event('cancel')),
      'Node a emits {"type":"cancel"}: there is no such effect',
    ],
    [
      'asks for nothing',
      emit(choose()),
      'Node a emits {"type":"choose","options":[]}: it gives no options to choose from',
    ],
  ] as const;

  it.each(mistakes)('%s: an immediate error, without a reported step', (_how, actions, message) => {
    const { node, seen } = running({ on: { go: { actions } } });
    node.start();
    expect(() => node.receive(event('go'))).toThrow(
      expect.objectContaining({
        code: 'bad-protocol',
        what: expect.stringMatching(`${escaped(message)}\\. It was in '.*' when it was told 'go'$`),
      }),
    );
    expect(seen).toHaveLength(1);
  });

  it.each(mistakes)('%s: at the start too', (_how, entry, message) => {
    expect(() => running({ entry }).node.start()).toThrow(
      expect.objectContaining({ code: 'bad-protocol', what: `${message}. It was starting` }),
    );
  });

  it('throws in a guard, or when a timer fires', () => {
    const { node, fire } = running({
      initial: 'a',
      states: { a: { after: { 5: { actions: assign(failing) } }, on: { go: { guard: failing } } } },
    });
    node.start();
    expect(() => fire('xstate.after.5.(machine).a 5')).toThrow(
      expect.objectContaining({
        code: 'bad-protocol',
        message: "Node a failed: boom. It was in 'a' when its timer '5.(machine).a' fired",
      }),
    );
    const again = running({ initial: 'a', states: { a: { on: { go: { guard: failing } } } } });
    again.node.start();
    expect(() => again.node.receive(event('go'))).toThrow(
      /^Node a failed: Unable to evaluate guard.*\nboom\. It was in 'a' when it was told 'go'$/s,
    );
  });

  it('cannot get a role that the protocol does not have', () => {
    const lost: Protocol = { ...tiny(createMachine({})), roleOf: () => 'ghost' };
    expect(() => onBench(lost)).toThrow(
      "Protocol 'tiny': roleOf(a) is 'ghost', which is not one of its roles. It has node.",
    );
  });
});
