import { start, step } from '@conclave/core/internal';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { extend } from './extended.js';

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
