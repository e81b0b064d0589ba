import { notify, start } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { createActor, createMachine, emit, setup } from 'xstate';
import { composed } from './composed.js';

const counter = createMachine({ id: 'counter', context: ({ input }) => ({ ...{ patience: 7, seen: 0 }, ...Object(input) }) });

describe('composed', () => {
  const refused = "Machine 'm' cannot have the regions part: ";

  it('refuses a whole without regions', () => {
    expect(() => composed(createMachine({ id: 'm' }), { part: counter })).toThrow(
      `${refused}it is not parallel. Give it type: 'parallel'.`,
    );
  });

  it('refuses two regions of one name', () => {
    const whole = createMachine({ id: 'm', type: 'parallel', states: { part: {} } });
    expect(() => composed(whole, { part: counter })).toThrow(`${refused}it has a region 'part' already`);
  });

  it('keeps the context and entry actions of the whole, and needs no input', () => {
    const own = setup({ actions: { greet: emit(notify({ type: 'hello' })) } }).createMachine({
      id: 'm',
      type: 'parallel',
      context: ({ input }) => ({ mine: Object(input).mine ?? 0, part: null }),
      entry: 'greet',
      states: {},
    });
    const whole = composed(own, { part: counter });
    const { state, effects } = start(whole, 'a', { mine: 3, part: { patience: 2 } });
    expect(state.context).toEqual({ mine: 3, part: { patience: 2, seen: 0 } });
    expect(effects).toEqual([notify({ type: 'hello' })]);
    expect(createActor(whole).getSnapshot().context).toMatchObject({ mine: 0, part: { patience: 7, seen: 0 } });
  });
});
