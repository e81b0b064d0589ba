import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import { client, keeper } from '../protocol/examples.contract.js';
import { eventTypes } from '../protocol/random-actions.contract.js';
import { randomMachine } from '../protocol/random-machine.contract.js';
import { fire, type LocalState, start, step, takes } from '../protocol/step.js';
import { machineOf, statechartOf, stateOf } from './statechart.js';

/**
 * The reactions of a machine to a list of events, and to its timers; how long it waits for the end
 * of a step is no part of it.
 */
function courseOf(machine: AnyStateMachine, events: readonly string[]): string {
  const course: unknown[] = [];
  try {
    const first = start(machine, 'a', {});
    course.push(first);
    let state: LocalState = first.state;
    for (const type of events) {
      const [timer] = state.timers;
      if (type === 'timer' && !timer) continue;
      if (type !== 'timer' && !takes(machine, state, { type })) continue;
      const next =
        type === 'timer'
          ? fire(machine, 'a', state, timer?.id ?? '')
          : step(machine, 'a', state, { type });
      course.push(next);
      state = next.state;
    }
  } catch (error) {
    course.push(String(error).replace(/more than \d+ microsteps/, 'many microsteps'));
  }
  return JSON.stringify(course);
}

describe('a statechart written out', () => {
  it('is the same machine, in each notation', () => {
    let effects = 0;
    assertRuns(
      fc.property(
        randomMachine,
        fc.array(fc.constantFrom(...eventTypes, 'timer', 'timer'), { maxLength: 12 }),
        (machine, events) => {
          const course = courseOf(machine, events);
          if (course.includes('"effects":[{')) effects++;
          expect(courseOf(machineOf(machine, statechartOf(machine)), events)).toBe(course);
        },
      ),
      20,
      300,
      1,
    );
    if (isWhole) expect(effects).toBeGreaterThan(50);
  });

  it('has no short forms', () => {
    const { on, after, always, entry, tags } = stateOf({
      tags: 'one',
      entry: 'act',
      always: { guard: 'g', target: 'b' },
      on: { go: 'b', stay: undefined, both: ['b', { target: 'c', actions: 'act' }], none: [] },
      after: { 5: 'b' },
    });
    expect({ always, entry, tags }).toEqual({
      always: [{ guard: 'g', target: ['b'], actions: [], others: {} }],
      entry: ['act'],
      tags: ['one'],
    });
    expect(after).toEqual({ 5: [{ target: ['b'], actions: [], others: {} }] });
    expect(on).toEqual({
      go: [{ target: ['b'], actions: [], others: {} }],
      stay: [{ actions: [], others: {} }],
      both: [
        { target: ['b'], actions: [], others: {} },
        { target: ['c'], actions: ['act'], others: {} },
      ],
      none: [],
    });
  });

  it('has absolute targets', () => {
    expect(statechartOf(client).states.idle?.on.acquire?.[0]?.target).toEqual([
      '#(machine).waiting',
    ]);
    expect(statechartOf(keeper).on.request?.[0]).toEqual({ actions: ['enqueue'], others: {} });
  });

  it('a step that never ends is an error', () => {
    const endless = createMachine({
      on: { go: {} },
      initial: 'x',
      states: { x: { always: 'y' }, y: { always: 'x' } },
    });
    expect(() => start(machineOf(endless, statechartOf(endless)), 'a', {})).toThrow(
      /Infinite loop/,
    );
  });
});
