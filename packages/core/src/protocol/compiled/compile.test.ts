import { describe, expect, it } from 'vitest';
import {
  type AnyStateMachine,
  assign,
  createMachine,
  emit,
  enqueueActions,
  fromPromise,
  raise,
  setup,
  spawnChild,
  stateIn,
} from 'xstate';
import { type CompiledMachine, compile, type PlainState } from './compile.js';

const on = (config: object): AnyStateMachine => createMachine({ on: { go: config } });
const noId = raise({ type: 'late' }, { delay: 5 });

const door = createMachine({
  id: 'door',
  context: ({ input }) => ({ opened: 0, limit: Number(input ?? 2) }),
  initial: 'shut',
  states: {
    shut: {
      on: { open: { guard: ({ context }) => context.opened < context.limit, target: 'open' } },
    },
    open: {
      tags: ['wide', 'airy'],
      entry: assign({ opened: ({ context }) => context.opened + 1 }),
      after: { 100: 'shut' },
    },
    back: { type: 'history' },
  },
});

function stateAfter(compiled: CompiledMachine, ...types: readonly string[]): PlainState {
  let { state } = compiled.start(undefined);
  for (const type of types) state = compiled.step(state, { type })?.state ?? state;
  return state;
}

describe('compile', () => {
  it('gives states, and effects in order', () => {
    const compiled = compile(door);
    const { state, effects } = compiled.start(1);
    expect([compiled.uncompiled, state.configuration.value, state.context, effects]).toEqual([
      undefined,
      'shut',
      { opened: 0, limit: 1 },
      [],
    ]);
    const open = compiled.step(state, { type: 'open' });
    const id = 'xstate.after.100.door.open';
    expect(open?.state.configuration).toMatchObject({
      value: 'open',
      tags: ['airy', 'wide'],
      history: {},
      status: 'active',
    });
    expect(open?.effects).toEqual([
      { type: 'start', timer: { id, delay: 100, event: { type: id } } },
    ]);
    const shut = open && compiled.fire(open.state, { type: id });
    expect(shut?.effects).toEqual([{ type: 'cancel', timer: id }]);
    expect(shut && compiled.step(shut.state, { type: 'open' })).toBeUndefined();
    expect(shut && compiled.takes(shut.state, { type: 'open' })).toBe(false);
  });

  it('is the same object for the same machine, with one configuration for equal states', () => {
    const compiled = compile(door);
    expect(compile(door)).toBe(compiled);
    const [once, again] = [stateAfter(compiled, 'open'), stateAfter(compiled, 'open')];
    expect(again.configuration).toBe(once.configuration);
    const { value, history, status } = JSON.parse(JSON.stringify(once.configuration));
    expect(compiled.resolve(value, once.context, history, status)).toEqual(once);
    expect(compiled.resolve(value, once.context, history, status).configuration).toBe(
      once.configuration,
    );
  });

  it('keeps the state where a timer is not waited for', () => {
    const compiled = compile(door);
    const state = stateAfter(compiled);
    expect(compiled.fire(state, { type: 'late' })).toEqual({ state, effects: [] });
    expect(compiled.fire(state, { type: 'late' }).state).toBe(state);
  });

  it('takes a state of the same machine with other implementations', () => {
    const counting = setup({ actions: { count: assign({ n: 1 }) } }).createMachine({
      context: { n: 0 },
      on: { go: { actions: 'count' } },
    });
    const ten = compile(counting.provide({ actions: { count: assign({ n: 10 }) } }));
    const one = compile(counting);
    expect(ten.step(stateAfter(one), { type: 'go' })?.state.context).toEqual({ n: 10 });
    expect(one.step(stateAfter(ten), { type: 'go' })?.state.context).toEqual({ n: 1 });
  });

  it('has the errors of XState', () => {
    const guard = () => {
      throw new Error('boom');
    };
    expect(() =>
      compile(on({ guard })).step(stateAfter(compile(on({ guard }))), { type: 'go' }),
    ).toThrow(/^Unable to evaluate guard.*\nboom$/s);
    const endless = compile(
      createMachine({
        options: { maxIterations: 3 },
        on: { go: { actions: raise({ type: 'go' }) } },
      }),
    );
    expect(() => endless.step(stateAfter(endless), { type: 'go' })).toThrow(
      /^Infinite loop detected: the machine has processed more than 3/,
    );
    const any = compile(createMachine({ on: { '*': {} } }));
    expect(() => any.step(stateAfter(any), { type: '*' })).toThrow(
      "An event cannot have the wildcard type ('*')",
    );
    expect(() => any.step(stateAfter(any), { type: 'xstate.stop' })).toThrow(
      "Machine '(machine)' takes 'xstate.stop', which stops an actor",
    );
    const late = compile(on({ actions: noId }));
    expect(() => late.step(stateAfter(late), { type: 'go' })).toThrow(
      "Machine '(machine)' raises 'late' after 5 ms without an id. Give it one",
    );
  });
});

describe('a machine that is not compiled', () => {
  const never = fromPromise(() => Promise.resolve());
  const plain = () => {};
  it.each<[string, AnyStateMachine]>([
    ["invokes an actor in '(machine)'", createMachine({ invoke: { src: never } })],
    ['uses xstate.spawnChild', on({ actions: spawnChild(never) })],
    ["runs the action 'plain'", on({ actions: plain })],
    ["runs the action 'missing', which does not exist", on({ actions: 'missing' })],
    ["uses the guard 'missing', which does not exist", on({ guard: 'missing' })],
    [
      'has two states with the same id',
      createMachine({ initial: 'a', states: { a: { id: 'x' }, b: { id: 'x' } } }),
    ],
  ])('says that it %s', (why, machine) => {
    expect(compile(machine).uncompiled).toBe(why);
  });

  it('says that it was changed', () => {
    const machine = createMachine({ initial: 'a', states: { a: { on: { go: 'b' } }, b: {} } });
    machine.states.a?.transitions.delete('go');
    expect(compile(machine).uncompiled).toBe('was changed after it was built');
  });

  const half = createMachine({
    initial: 'a',
    context: { n: 0 },
    states: {
      a: {
        on: {
          go: {
            target: 'b',
            actions: [
              assign({ n: 1 }),
              emit({ type: 'gone' }),
              raise({ type: 'x' }, { id: 't', delay: 3 }),
            ],
          },
        },
      },
      b: {
        type: 'parallel',
        states: { p: {}, q: {} },
        on: { print: { actions: 'print' }, ask: { guard: stateIn('a') } },
      },
    },
  });

  it('takes its steps by XState, and refuses what is no pure step', () => {
    const compiled = compile(half);
    expect(compiled.uncompiled).toBe("runs the action 'print', which does not exist");
    const { state } = compiled.start(undefined);
    const gone = compiled.step(state, { type: 'go' });
    expect(gone?.effects).toEqual([
      { type: 'emit', event: { type: 'gone' } },
      { type: 'start', timer: { id: 't', delay: 3, event: { type: 'x' } } },
    ]);
    if (!gone) throw new Error('a handles go');
    expect([gone.state.configuration.value, gone.state.context]).toEqual([
      { b: { p: {}, q: {} } },
      { n: 1 },
    ]);
    expect(compiled.step(gone.state, { type: 'ask' })).toBeUndefined();
    expect(compiled.takes(gone.state, { type: 'print' })).toBe(true);
    expect(() => compiled.step(gone.state, { type: 'print' })).toThrow(
      "Machine '(machine)' runs the action 'print'. As pure logic",
    );
    expect(compiled.fire(gone.state, { type: 'x' })).toEqual({ state: gone.state, effects: [] });
  });

  it('is one only in the step in which it enqueues what cannot be compiled', () => {
    const compiled = compile(
      on({
        actions: enqueueActions(({ enqueue, event }) =>
          enqueue('deep' in event ? 'missing' : emit({ type: 'fine' })),
        ),
      }),
    );
    expect(compiled.uncompiled).toBeUndefined();
    const state = stateAfter(compiled);
    expect(compiled.step(state, { type: 'go' })?.effects).toEqual([
      { type: 'emit', event: { type: 'fine' } },
    ]);
    const deep = { type: 'go', deep: true };
    expect(() => compiled.step(state, deep)).toThrow("runs the action 'missing'");
  });
});
