import { describe, expect, it } from 'vitest';
import {
  type AnyStateMachine,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  log,
  raise,
} from 'xstate';
import { byPlan } from './compiled/stepper.js';
import { calls } from './examples.contract.js';
import { choose, notify, send } from './node.js';
import { fire, type LocalState, start, step, takes } from './step.js';

const [late, pong] = [
  { type: 'late', from: 'b' },
  { type: 'pong', n: 1, from: 'b' },
];
const event = (type: string, fields: object = {}) => ({ type, ...fields });
const plain = 'Use numbers, strings, booleans, null, arrays and objects of them.';
const failing = () => {
  throw new Error('boom');
};
const { node } = calls.roles;
if (!node) throw new Error('calls has the role node');
const { machine } = node;
const first = start(machine, 'a', { self: 'a', peers: ['b'] }).state;
const retry = 'xstate.after.ring.(machine).calling';

describe('step', () => {
  it('gives the next state, its tags and timers, and the effects in written order', () => {
    const { state, effects } = step(machine, 'a', first, { type: 'call' });
    const timer = { id: retry, delay: 10, event: { type: retry } };
    expect(state).toEqual({
      value: 'calling',
      context: { self: 'a', peers: ['b'], calls: 1, tries: 1 },
      tags: ['waiting'],
      history: {},
      timers: [timer],
      status: 'active',
    });
    expect(effects).toEqual([send('b', { type: 'ping', n: 1 }), { type: 'start', timer }]);
  });

  it('does not change the given state', () => {
    const before = JSON.stringify(first);
    step(machine, 'a', first, { type: 'call' });
    expect(JSON.stringify(first)).toBe(before);
  });

  it('refuses an unhandled event, in any state', () => {
    expect(() => step(machine, 'a', first, { type: 'hang-up' })).toThrow(
      expect.objectContaining({
        code: 'unhandled',
        message:
          "Node a in 'idle' does not handle 'hang-up'. List it under on, or ignore it with 'hang-up': {}.",
      }),
    );
    const over = createMachine({
      initial: 'a',
      states: { a: { on: { go: 'b' } }, b: { type: 'final' } },
      on: { late: {} },
    });
    const done = step(over, 'a', start(over, 'a', {}).state, { type: 'go' }).state;
    expect(done.status).toBe('done');
    expect(() => step(over, 'a', done, late)).toThrow(
      /^Node a in 'b' does not handle 'late' \(from b\)\./,
    );
  });

  it('handles raised events in the same step', () => {
    const twice = createMachine({
      initial: 'a',
      states: {
        a: { on: { go: { actions: raise({ type: 'on' }) }, on: 'b' } },
        b: { entry: emit(notify({ type: 'arrived' })) },
      },
    });
    const { state, effects } = step(twice, 'a', start(twice, 'a', {}).state, { type: 'go' });
    expect([state.value, effects]).toEqual(['b', [notify({ type: 'arrived' })]]);
  });

  it('does not count logging as an effect', () => {
    const chatty = createMachine({
      on: { go: { actions: [log('going'), emit(choose(1)), log('gone')] } },
    });
    expect(step(chatty, 'a', start(chatty, 'a', {}).state, { type: 'go' }).effects).toEqual([
      choose(1),
    ]);
  });

  it('restores history by the ids of state nodes, with any name of the machine', () => {
    const places = createMachine({
      id: 'v1.2 of it',
      initial: 'in',
      states: {
        in: {
          initial: 'x',
          states: { x: { on: { go: 'y' } }, y: {}, back: { type: 'history' } },
          on: { leave: 'out' },
        },
        out: { on: { return: 'in.back' } },
      },
    });
    let state = start(places, 'a', {}).state;
    for (const type of ['go', 'leave']) state = step(places, 'a', state, { type }).state;
    const revived: LocalState = JSON.parse(JSON.stringify(state));
    expect(revived.history).toEqual({ 'v1.2 of it.in.back': ['v1.2 of it.in.y'] });
    expect(step(places, 'a', revived, { type: 'return' }).state.value).toEqual({ in: 'y' });
  });

  it('uses the given machine, also on a state of another machine', () => {
    const counting = (by: number) =>
      createMachine({
        context: { n: 0 },
        on: { go: { actions: assign(({ context }) => ({ n: context.n + by })) } },
      });
    const [one, ten] = [counting(1), counting(10)];
    const { state } = step(one, 'a', start(one, 'a', {}).state, { type: 'go' });
    expect(step(ten, 'a', state, { type: 'go' }).state.context).toEqual({ n: 11 });
    expect(step(one, 'a', state, { type: 'go' }).state.context).toEqual({ n: 2 });
  });

  it('gives the same state on each path to it', () => {
    const region = (tag: string) => ({
      initial: 'off',
      states: { off: { on: { [tag]: 'on' } }, on: { tags: tag, on: { [tag]: 'off' } } },
    });
    const both = createMachine({
      type: 'parallel',
      states: { p: region('red'), q: region('blue') },
    });
    const go = (...types: string[]) =>
      types.reduce(
        (state, type) => step(both, 'a', state, { type }).state,
        start(both, 'a', {}).state,
      );
    expect(JSON.stringify(go('red', 'blue'))).toBe(JSON.stringify(go('blue', 'red')));
    expect(go('red', 'blue').tags).toEqual(['blue', 'red']);
  });
});

describe('parallel regions', () => {
  const region = (name: string): object => ({
    initial: 'on',
    on: { [name]: { target: `.on`, reenter: true } },
    states: {
      on: {
        always: {
          guard: ({ context }: { context: { ready: boolean } }) => context.ready,
          target: 'off',
          actions: emit(send('b', { type: name })),
        },
      },
      off: {},
    },
  });
  const config: object = {
    type: 'parallel',
    context: { ready: false },
    states: { right: region('right'), left: region('left') },
    on: { go: { actions: assign({ ready: true }) } },
  };
  const both: AnyStateMachine = createMachine(config);

  it.each([
    [['go']],
    [['right', 'go']],
    [['left', 'go']],
    [['right', 'left', 'go']],
    [['left', 'right', 'go']],
  ])('act in the order of the statechart, not in that of their entry: %j', (types) => {
    let taken = start(both, 'a', {});
    for (const type of types) taken = step(both, 'a', taken.state, { type });
    expect(taken.effects).toEqual([send('b', { type: 'right' }), send('b', { type: 'left' })]);
    expect(JSON.stringify(taken.state.value)).toBe('{"right":"off","left":"off"}');
  });
});

it('takes returns whether the state handles an event', () => {
  expect(takes(machine, first, { type: 'call' })).toBe(true);
  expect(takes(machine, step(machine, 'a', first, { type: 'call' }).state, { type: 'call' })).toBe(
    false,
  );
});

describe('timers', () => {
  const calling = step(machine, 'a', first, { type: 'call' }).state;

  it('send their event once; one that is armed again in the step comes last', () => {
    const { state, effects } = fire(machine, 'a', calling, retry);
    expect(state.timers.map(({ id }) => id)).toEqual([retry]);
    expect(effects.map(({ type }) => type)).toEqual(['send', 'start']);
    const last = fire(machine, 'a', state, retry);
    expect(last.state).toMatchObject({ value: 'idle', timers: [] });
    expect(last.effects).toEqual([notify({ type: 'gave-up', tries: 2 })]);
  });

  it('are cancelled on leaving their state, and by the end of the machine', () => {
    const answered = step(machine, 'a', calling, pong);
    expect(answered.effects).toEqual([
      { type: 'cancel', timer: retry },
      notify({ type: 'answered' }),
    ]);
    expect(answered.state.timers).toEqual([]);
    const ending = createMachine({
      entry: [
        raise({ type: 'x' }, { id: 'one', delay: 1 }),
        raise({ type: 'x' }, { id: 'two', delay: 2 }),
      ],
      initial: 'a',
      states: { a: { on: { go: 'b' } }, b: { type: 'final' } },
    });
    const { state, effects } = step(ending, 'a', start(ending, 'a', {}).state, { type: 'go' });
    expect(state.timers).toEqual([]);
    expect(effects).toEqual(['one', 'two'].map((timer) => ({ type: 'cancel', timer })));
  });

  it('that are not armed are not cancelled', () => {
    const careful = createMachine({ on: { go: { actions: cancel('nothing') } } });
    expect(step(careful, 'a', start(careful, 'a', {}).state, { type: 'go' }).effects).toEqual([]);
  });

  it('have no effect where no state waits for them', () => {
    const forgetful = createMachine({ entry: raise({ type: 'late' }, { id: 't', delay: 5 }) });
    const { state, effects } = fire(forgetful, 'a', start(forgetful, 'a', {}).state, 't');
    expect([state.timers, effects]).toEqual([[], []]);
  });

  it('cannot fire unless armed', () => {
    expect(() => fire(machine, 'a', first, retry)).toThrow(
      expect.objectContaining({
        code: 'bad-input',
        message: `Node a has no armed timer '${retry}'`,
      }),
    );
  });
});

describe('a machine that breaks the node contract', () => {
  const unnamed = enqueueActions(({ enqueue }) => enqueue.raise({ type: 'late' }, { delay: 5 }));
  const arms = raise({ type: 'late' }, { id: 't', delay: 5 });
  const other = raise({ type: 'late' }, { id: 'other', delay: 5 });
  const effects =
    'A node emits send(to, message), notify(notification), choose(option, …) or draw(options).';
  it.each([
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
      emit({ type: 'shout' }),
      `Node a emits {"type":"shout"}: there is no such effect. ${effects}`,
    ],
    [
      'emits like a timer',
      emit({ type: 'start' }),
      `Node a emits {"type":"start"}: there is no such effect. ${effects}`,
    ],
    [
      'asks for nothing',
      emit(choose()),
      `Node a emits {"type":"choose","options":[]}: it gives no options to choose from. ${effects}`,
    ],
    [
      'keeps what is not plain',
      assign({ seen: new Map() }),
      `Node a: context.seen (an instance of Map) is not plain data. ${plain}`,
    ],
    [
      'sends what is not plain',
      emit(() => send('b', event('ping', { at: [NaN] }))),
      `Node a: send.message.at[0] (NaN) is not plain data. ${plain}`,
    ],
    [
      'tells what is not plain',
      emit(notify(event('seen', { at: new Date(0) }))),
      `Node a: notify.notification.at (an instance of Date) is not plain data. ${plain}`,
    ],
    [
      'runs an action by name that it does not have',
      enqueueActions(({ enqueue }) => enqueue('print')),
      "Node a runs the action 'print'; a node acts by assign, emit, raise and cancel only",
    ],
  ])('%s', (_how, actions, message) => {
    const wrong = createMachine({ on: { go: { actions } } });
    const { state } = start(wrong, 'a', {});
    expect(() => step(wrong, 'a', state, { type: 'go' })).toThrow(
      expect.objectContaining({ code: 'bad-protocol', message }),
    );
  });

  it.each([step, byPlan.step])('keeps no field that is undefined', (take) => {
    const forgets = createMachine({
      context: { user: { name: 'ada' } as { name?: string | undefined } | undefined, n: 0 },
      on: {
        rename: { actions: assign({ user: { name: undefined } }) },
        forget: { actions: assign({ user: undefined }) },
      },
    });
    const { state } = start(forgets, 'a', {});
    const contextAfter = (type: string) => take(forgets, 'a', state, { type }).state.context;
    expect(contextAfter('rename')).toStrictEqual({ user: {}, n: 0 });
    expect(contextAfter('forget')).toStrictEqual({ n: 0 });
  });

  it('throws in a guard', () => {
    const wrong = createMachine({
      initial: 'a',
      states: { a: { on: { go: { guard: failing } } } },
    });
    expect(() => step(wrong, 'a', start(wrong, 'a', {}).state, { type: 'go' })).toThrow(
      expect.objectContaining({
        code: 'bad-protocol',
        message: expect.stringMatching(/^Node a failed: Unable to evaluate guard.*\nboom$/s),
      }),
    );
  });

  it('throws when a timer fires', () => {
    const wrong = createMachine({
      initial: 'a',
      states: { a: { after: { 5: { actions: assign(failing) } } } },
    });
    const { state } = start(wrong, 'a', {});
    expect(() => fire(wrong, 'a', state, state.timers[0]?.id ?? '')).toThrow('Node a failed: boom');
  });

  it('keeps the original error as the cause', () => {
    const wrong = createMachine({ context: failing });
    expect(() => start(wrong, 'a', {})).toThrow(
      expect.objectContaining({ cause: new Error('boom') }),
    );
  });
});
