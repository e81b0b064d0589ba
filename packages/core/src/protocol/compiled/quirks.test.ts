/**
 * What XState 5.33 does where one may expect something else, and that plans do the same or refuse.
 * An XState that behaves differently shows here.
 */
import { describe, expect, it } from 'vitest';
import {
  type AnyStateMachine,
  assign,
  createMachine,
  emit,
  enqueueActions,
  initialTransition,
  raise,
  stateIn,
  transition,
} from 'xstate';
import { send } from '../node.js';
import { isLegal } from '../random-machine.contract.js';
import type { Step } from '../step.js';
import { compile } from './compile.js';
import { byPlan, byXState, type Stepper } from './stepper.js';

const say = (k: string) => emit(send('b', { type: k } as { type: string }));
interface Counting {
  readonly context: { readonly n: number };
}

/** The last step of a machine that takes events of these types, or the error. */
function last(by: Stepper, machine: AnyStateMachine, types: readonly string[]): Step | string {
  try {
    let taken = by.start(machine, 'a', null);
    for (const type of types) taken = by.step(machine, 'a', taken.state, { type });
    return taken;
  } catch (error) {
    return String(error);
  }
}

/** What XState does, and plans as well. */
function both(machine: AnyStateMachine, ...types: string[]): Step {
  expect(compile(machine).uncompiled).toBeUndefined();
  const taken = last(byXState, machine, types);
  expect(last(byPlan, machine, types)).toEqual(taken);
  if (typeof taken === 'string') throw new Error(taken);
  return taken;
}

const error = (machine: AnyStateMachine, ...types: string[]): string => {
  const taken = last(byXState, machine, types);
  expect(last(byPlan, machine, types)).toBe(taken);
  return String(taken);
};
const said = ({ effects }: Step) =>
  effects.map((effect) => (effect.type === 'send' ? effect.message.type : effect.type));

describe('regions', () => {
  const leave = (name: string) => ({
    guard: ({ context }: Counting) => context.n > 0,
    target: 'y',
    actions: say(name),
  });
  const region = (name: string): object => ({
    initial: 'x',
    on: { [name]: '.w' },
    states: { x: { always: leave(name) }, w: { always: leave(name) }, y: {} },
  });
  const config: object = {
    type: 'parallel',
    context: { n: 0 },
    states: { first: region('first'), second: region('second') },
    on: {
      count: { actions: assign({ n: 1 }) },
      both: { actions: [raise({ type: 'first' }), raise({ type: 'count' })] },
    },
  };

  it('are asked in the order of their entry within a macrostep, in document order after it', () => {
    const machine = createMachine(config);
    expect(said(both(machine, 'count'))).toEqual(['first', 'second']);
    expect(said(both(machine, 'first', 'count'))).toEqual(['first', 'second']);
    // a state of the first one was entered last
    expect(said(both(machine, 'both'))).toEqual(['second', 'first']);
  });

  it('beside a region that is a target do not run the actions of their own initial transition', () => {
    const inner = (name: string) => ({
      initial: { target: 'x', actions: say(name) },
      states: { x: {}, y: {} },
    });
    const machine = createMachine({
      initial: 'out',
      states: {
        out: { on: { go: 'in.a.y', all: 'in' } },
        in: { type: 'parallel', states: { a: inner('a'), b: inner('b') } },
      },
    });
    expect(said(both(machine, 'all'))).toEqual(['a', 'b']);
    expect(said(both(machine, 'go'))).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      'to the history of their parent',
      {
        type: 'parallel',
        states: {
          a: { on: { go: { target: '#m.h', reenter: true } } },
          b: {},
          h: { type: 'history' },
        },
      },
      'the root is not active',
    ],
    [
      'to several targets in one state',
      { initial: 'x', states: { x: { on: { go: { target: ['y', 'z'] } } }, y: {}, z: {} } },
      "2 of the states in 'm' are active, not 1",
    ],
  ])(
    'are refused where a transition %s leaves them in an illegal configuration',
    (_what, config, why) => {
      const machine = createMachine({ ...config, id: 'm' });
      const [snapshot] = transition(machine, initialTransition(machine)[0], { type: 'go' });
      expect(isLegal(snapshot)).toBe(false);
      expect(compile(machine).uncompiled).toBeUndefined();
      expect(error(machine, 'go')).toContain(
        `Machine 'm' reaches an illegal configuration: ${why}. XState leaves it so after`,
      );
    },
  );
});

describe('always', () => {
  const until = (most: number, actions: readonly unknown[]): AnyStateMachine => {
    let asked = 0;
    const guard = () => asked++ < most;
    const config: object = {
      context: { n: 0 },
      initial: 'x',
      states: { x: { on: { go: 'y' } }, y: { always: { guard, actions } } },
    };
    return createMachine(config);
  };

  it.each([
    ['nothing', [], 1],
    ['an emission', [say('again')], 1],
    ['an assignment of nothing', [assign({}), say('again')], 3],
  ])(
    'is asked again after %s: the last number is how often it is taken',
    (_what, actions, times) => {
      for (const by of [byXState, byPlan]) {
        const taken = last(by, until(3, actions), ['go']);
        const count = typeof taken === 'string' ? -1 : said(taken).length;
        expect(count).toBe(actions.length === 0 ? 0 : times);
      }
    },
  );

  it('without end fails', () => {
    const machine = createMachine({
      options: { maxIterations: 30 },
      initial: 'x',
      states: { x: { on: { go: 'y' } }, y: { always: { actions: assign({}) } } },
    });
    expect(error(machine, 'go')).toMatch(
      /Infinite loop detected: the machine has processed more than 30 microsteps/,
    );
  });

  it('is asked after the time-out of a timer that nothing waits for, and may read its event', () => {
    const machine = createMachine({
      initial: 'x',
      states: {
        x: {
          entry: raise({ type: 'late' }, { id: 't', delay: 1 }),
          always: { guard: ({ event }) => event.type === 'late', target: 'y' },
        },
        y: {},
      },
    });
    for (const by of [byXState, byPlan])
      expect(by.fire(machine, 'a', by.start(machine, 'a', null).state, 't').state.value).toBe('y');
  });
});

it('stateIn sees the old configuration in actions, also in entry and exit actions', () => {
  const look = (where: string) =>
    enqueueActions(({ check, enqueue }) =>
      enqueue(say(`${where} ${check(stateIn('x')) ? 'in x' : 'in y'}`)),
    );
  const machine = createMachine({
    initial: 'x',
    states: {
      x: { exit: look('exit'), on: { go: { target: 'y', actions: look('between') } } },
      y: { entry: look('entry') },
    },
  });
  expect(said(both(machine, 'go'))).toEqual(['exit in x', 'between in x', 'entry in x']);
});

it('enqueueActions asks check before what it has enqueued, and emits after it', () => {
  const config: object = {
    context: { n: 0 },
    on: {
      go: {
        actions: enqueueActions(({ check, enqueue }) => {
          enqueue.assign({ n: 1 });
          enqueue(say(check(({ context }) => context.n === 1) ? 'checks after' : 'checks before'));
          enqueue.emit(({ context }) =>
            send('b', { type: `n is ${context.n}` } as { type: string }),
          );
        }),
      },
    },
  };
  expect(said(both(createMachine(config), 'go'))).toEqual(['checks before', 'n is 1']);
});

describe('a wildcard', () => {
  it('takes the end of a state', () => {
    const machine = createMachine({
      initial: 'x',
      on: {
        '*': { actions: emit(({ event }) => send('b', { type: event.type } as { type: string })) },
      },
      states: { x: { initial: 'y', states: { y: { on: { go: 'z' } }, z: { type: 'final' } } } },
    });
    expect(said(both(machine, 'go'))).toEqual(['xstate.done.state.(machine).x']);
  });

  it('comes after longer keys, whatever the order', () => {
    const machine = createMachine({
      on: {
        '*': { actions: say('any') },
        'a.*': { actions: say('a') },
        'a.b.*': { actions: say('a.b') },
      },
    });
    expect(said(both(machine, 'a.b.c'))).toEqual(['a.b']);
  });
});

describe('a guard that fails', () => {
  const fails = () => {
    throw new Error('boom');
  };
  it('names its transition under on, and not under always', () => {
    const on = createMachine({ id: 'm', on: { go: { guard: fails } } });
    expect(error(on, 'go')).toBe(
      "ConclaveError: Node a failed: Unable to evaluate guard in transition for event 'go' in state node 'm':\nboom",
    );
    const always = createMachine({
      initial: 'x',
      states: { x: { on: { go: 'y' } }, y: { always: { guard: fails } } },
    });
    expect(error(always, 'go')).toBe('ConclaveError: Node a failed: boom');
  });
});

describe('targets', () => {
  const dotted = (target: string): AnyStateMachine =>
    createMachine({
      id: 'm',
      initial: 'x.1',
      states: { 'x.1': { initial: 'y', states: { y: {}, 'z.2': {} }, on: { go: target } } },
    });

  it('escape the dots of keys and ids', () => {
    for (const target of ['x\\.1.z\\.2', '#m.x\\.1.z\\.2'])
      expect(both(dotted(target), 'go').state.value).toEqual({ 'x.1': 'z.2' });
  });

  it('that begin with a dot cannot be used in a state whose key has one: XState refuses the machine', () => {
    expect(() => dotted('.z\\.2')).toThrow(/Invalid transition definition for state node 'm.x.1'/);
  });

  it('by name in a list under after are lost', () => {
    const config: object = { initial: 'x', states: { x: { after: { 5: ['y'] } }, y: {} } };
    const machine = createMachine(config);
    const [{ state }, planned] = [both(machine), byPlan.start(machine, 'a', null)];
    const timer = 'xstate.after.5.(machine).x';
    expect(byXState.fire(machine, 'a', state, timer).state.value).toBe('x');
    expect(byPlan.fire(machine, 'a', planned.state, timer).state.value).toBe('x');
  });
});

it.each<[string, AnyStateMachine]>([
  [
    "uses the guard 'missing', which does not exist",
    createMachine({ on: { go: { guard: 'missing' } } }),
  ],
  [
    "runs the action 'missing', which does not exist",
    createMachine({ on: { go: { actions: 'missing' } } }),
  ],
  ["runs the action 'custom'", createMachine({ entry: function custom() {} })],
  [
    'has two states with the same id',
    createMachine({ initial: 'x', states: { x: { id: 'same' }, y: { id: 'same' } } }),
  ],
])('what is not compiled, and why %s', (reason, machine) => {
  expect(compile(machine).uncompiled).toBe(reason);
  expect(last(byPlan, machine, ['go'])).toEqual(last(byXState, machine, ['go']));
});
