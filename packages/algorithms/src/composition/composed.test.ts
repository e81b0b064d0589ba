import { start, step } from '@conclave/core/internal/protocol';
import { notify } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { assign, createActor, createMachine, emit, enqueueActions, setup } from 'xstate';
import { extend } from './extended.js';
import { compose } from './region.js';
import { takes } from './regions.contract.js';

const counter = createMachine({
  id: 'counter',
  context: ({ input }) => ({ ...{ patience: 7, seen: 0 }, ...Object(input) }),
});

describe('composed', () => {
  const refused = "Machine 'm' cannot have the regions part: ";

  it('refuses a whole without regions', () => {
    expect(() => compose(createMachine({ id: 'm' }), { part: counter })).toThrow(
      `${refused}it is not parallel. Give it type: 'parallel'.`,
    );
  });

  it('refuses two regions of one name', () => {
    const whole = createMachine({ id: 'm', type: 'parallel', states: { part: {} } });
    expect(() => compose(whole, { part: counter })).toThrow(
      `${refused}it has a region 'part' already`,
    );
  });

  it('keeps the context and entry actions of the whole, and needs no input', () => {
    const own = setup({ actions: { greet: emit(notify({ type: 'hello' })) } }).createMachine({
      id: 'm',
      type: 'parallel',
      context: ({ input }) => ({ mine: Object(input).mine ?? 0, part: null }),
      entry: 'greet',
      states: {},
    });
    const whole = compose(own, { part: counter });
    const { state, effects } = start(whole, 'a', { mine: 3, part: { patience: 2 } });
    expect(state.context).toEqual({ mine: 3, part: { patience: 2, seen: 0 } });
    expect(effects).toEqual([notify({ type: 'hello' })]);
    expect(createActor(whole).getSnapshot().context).toMatchObject({
      mine: 0,
      part: { patience: 7, seen: 0 },
    });
  });

  it('hears what a part notifies, in its order, after the step of the part, if it is told so', () => {
    const part = setup({
      actions: {
        tell: emit(notify({ type: 'told', n: 1 })),
        tellMore: enqueueActions(({ enqueue }) => {
          for (const n of [2, 3]) enqueue.emit(notify({ type: 'told', n }));
          enqueue.emit(notify({ type: 'other' }));
        }),
      },
    }).createMachine({ id: 'part', context: {}, on: { go: { actions: ['tell', 'tellMore'] } } });
    const own = setup({
      actions: {
        hear: assign(({ context, event }) => ({ heard: [...context.heard, Object(event).n] })),
      },
    }).createMachine({
      id: 'm',
      type: 'parallel',
      context: { heard: [] },
      states: {
        ear: { meta: { raises: ['part-told'] }, on: { 'part-told': { actions: 'hear' } } },
      },
    });
    const heardBy = (whole: ReturnType<typeof compose>) => {
      const { state, effects } = step(whole, 'a', start(whole, 'a', {}).state, { type: 'part-go' });
      expect(effects).toEqual([
        ...[1, 2, 3].map((n) => notify({ type: 'part-told', n })),
        notify({ type: 'part-other' }),
      ]);
      return state.context.heard;
    };
    expect(heardBy(compose(own, { part }, { part: { told: ['told'] } }))).toEqual([1, 2, 3]);
    expect(heardBy(compose(own, { part }))).toEqual([]);
  });

  it('leaves out the commands of a part that it never gives', () => {
    const part = createMachine({
      id: 'part',
      context: {},
      on: { go: { description: 'P1' }, stop: { description: 'P2' } },
    });
    const whole = compose(
      createMachine({ id: 'm', type: 'parallel', states: {} }),
      { part },
      { part: { unused: ['stop'] } },
    );
    const { state } = start(whole, 'a', {});
    expect([
      takes(whole, state, { type: 'part-go' }),
      takes(whole, state, { type: 'part-stop' }),
    ]).toEqual([true, false]);
  });
});

const machine = createMachine(
  {
    id: 'm',
    context: ({ input }) => ({ ...Object(input) }),
    initial: 'off',
    states: {
      off: { on: { press: { guard: 'isPlugged', target: 'on' } } },
      on: { initial: 'dim', states: { dim: {} } },
    },
  },
  { guards: { isPlugged: ({ context }) => context.plugged } },
);

describe('extended', () => {
  const larger = extend(
    'larger',
    machine,
    {
      off: {
        on: {
          press: {
            guard: ({ context }: { context: { broken: boolean } }) => context.broken,
            target: 'out',
          },
          hit: 'out',
        },
      },
      on: { states: { dim: { on: { press: 'bright' } }, bright: {} } },
      out: {},
    },
    { broken: false },
  );
  const after = (plugged: boolean, ...types: readonly string[]) =>
    types.reduce(
      (state, type) => step(larger, 'a', state, { type }).state,
      start(larger, 'a', { plugged }).state,
    ).value;

  it('has the states and transitions of the machine, and the added ones', () => {
    expect(after(true, 'press')).toEqual({ on: 'dim' });
    expect(after(false, 'hit')).toBe('out');
    expect(after(true, 'press', 'press')).toEqual({ on: 'bright' });
    expect(Object.keys(machine.states)).toEqual(['off', 'on']);
  });

  it('has further fields in its context, and tries an added transition first', () => {
    const { state } = start(larger, 'a', { plugged: true });
    expect(state.context).toEqual({ plugged: true, broken: false });
    expect(
      step(larger, 'a', { ...state, context: { plugged: true, broken: true } }, { type: 'press' })
        .state.value,
    ).toBe('out');
  });

  it('refuses to change more of a state', () => {
    expect(() => extend('larger', machine, { off: { tags: 'dark' } })).toThrow(
      "larger: off: 'tags' is added to a state that is there. Add transitions and states only.",
    );
  });
});
