import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { coverage } from './coverage.js';

describe('coverage', () => {
  it('asks inside before outside, and goes on outside as long as a guard may say no', () => {
    const machine = createMachine({
      initial: 'outer',
      on: { reply: { actions: 'count' } },
      states: {
        outer: {
          initial: 'shut',
          states: { shut: { on: { reply: {} } }, choosy: { on: { reply: { guard: 'late' } } }, plain: {}, done: { type: 'final' } },
        },
      },
    });
    expect(coverage(machine, 'reply')).toEqual({
      handled: ['outer.choosy', 'outer.plain', 'outer.done'],
      ignored: ['outer.shut'],
      states: ['outer.shut', 'outer.choosy', 'outer.plain', 'outer.done'],
    });
    expect(coverage(machine, 'request')).toMatchObject({ handled: [], ignored: [] });
  });

  it('asks the exact name before the longest wildcard', () => {
    const machine = createMachine({
      initial: 'x',
      states: {
        x: { on: { 'a.*': { actions: 'count' }, 'a.b': {}, '*': {} } },
        y: { on: { '*': {}, 'a.*': { actions: 'count' } } },
      },
    });
    expect(coverage(machine, 'a.b')).toMatchObject({ handled: ['y'], ignored: ['x'] });
    expect(coverage(machine, 'a.c')).toMatchObject({ handled: ['x', 'y'], ignored: [] });
    expect(coverage(machine, 'b')).toMatchObject({ handled: [], ignored: ['x', 'y'] });
  });

  it('looks at each parallel region by itself', () => {
    const machine = createMachine({
      type: 'parallel',
      states: { client: { initial: 'x', states: { x: { on: { go: 'y' } }, y: {} } }, voter: { on: { go: {} } } },
    });
    expect(coverage(machine, 'go')).toEqual({ handled: ['client.x'], ignored: ['voter'], states: ['client.x', 'client.y', 'voter'] });
  });

  it('agrees with XState where it can be asked', () => {
    const machine = createMachine({
      initial: 'x',
      on: { '*': {} },
      states: { x: { on: { 'job.*': 'y' } }, y: { on: { job: {}, 'job.*': { actions: 'count' } } } },
    });
    for (const name of ['x', 'y'])
      for (const type of ['job', 'job.done', 'jobs']) {
        const [first] = machine.getTransitionData(machine.resolveState({ value: name }), { type }) ?? [];
        const acts = first !== undefined && (first.target !== undefined || first.actions.length > 0);
        expect(coverage(machine, type).handled.includes(name), `${type} in ${name}`).toBe(acts);
      }
  });
});
