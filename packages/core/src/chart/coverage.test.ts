import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { coverage } from './specification.js';

describe('coverage', () => {
  it('looks at inner states before outer ones, and goes on outwards while a guard may be false', () => {
    const machine = createMachine({
      initial: 'outer',
      on: { reply: { actions: 'count' } },
      states: {
        outer: {
          initial: 'shut',
          states: {
            shut: { on: { reply: {} } },
            choosy: { on: { reply: { guard: 'late' } } },
            plain: {},
            done: { type: 'final' },
          },
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

  it('looks at the exact name before the longest wildcard', () => {
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

  it('looks at each parallel region separately', () => {
    const machine = createMachine({
      type: 'parallel',
      states: {
        client: { initial: 'x', states: { x: { on: { go: 'y' } }, y: {} } },
        voter: { on: { go: {} } },
      },
    });
    expect(coverage(machine, 'go')).toEqual({
      handled: ['client.x'],
      ignored: ['voter'],
      states: ['client.x', 'client.y', 'voter'],
    });
  });

  it('agrees with XState', () => {
    const machine = createMachine({
      initial: 'x',
      on: { '*': {} },
      states: {
        x: { on: { 'job.*': 'y' } },
        y: { on: { job: {}, 'job.*': { actions: 'count' } } },
      },
    });
    for (const name of ['x', 'y'])
      for (const type of ['job', 'job.done', 'jobs']) {
        const [first] =
          machine.getTransitionData(machine.resolveState({ value: name }), { type }) ?? [];
        const acts =
          first !== undefined && (first.target !== undefined || first.actions.length > 0);
        expect(coverage(machine, type).handled.includes(name), `${type} in ${name}`).toBe(acts);
      }
  });
});
