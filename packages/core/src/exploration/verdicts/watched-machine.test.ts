import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, and, createMachine, not, or, setup, stateIn } from 'xstate';
import { ConclaveError } from '../../base/error.js';
import { eventTypes } from '../../protocol/random-actions.contract.js';
import { randomMachine } from '../../protocol/random-machine.contract.js';
import { fire, type LocalState, type Step, start, step } from '../../protocol/step.js';
import { innermostPaths, watchMachine } from './coverage.js';

const attempt = (run: () => Step): Step | string => {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConclaveError) return error.code;
    throw error;
  }
};

describe('a watched machine', () => {
  it('does what its original does', () => {
    const moves = fc.array(fc.oneof(fc.nat(3), fc.constantFrom(...eventTypes)), {
      minLength: 1,
      maxLength: 8,
    });
    let steps = 0;
    assertRuns(
      fc.property(randomMachine, moves, (machine, moves) => {
        const copy = watchMachine(machine);
        const originals = attempt(() => start(machine, 'a', null));
        expect(attempt(() => start(copy.machine, 'a', null))).toEqual(originals);
        if (typeof originals === 'string') return;
        let state: LocalState = originals.state;
        for (const move of moves) {
          const timer = typeof move === 'number' ? state.timers[move]?.id : undefined;
          if (typeof move === 'number' && timer === undefined) continue;
          const take = (of: typeof machine) =>
            timer === undefined
              ? step(of, 'a', state, { type: String(move) })
              : fire(of, 'a', state, timer);
          const taken = attempt(() => take(machine));
          expect(attempt(() => take(copy.machine))).toEqual(taken);
          for (const path of innermostPaths(machine.root, state.value))
            expect(copy.states).toContainEqual({ path, entered: true });
          if (typeof taken === 'string') continue;
          state = taken.state;
          steps++;
        }
      }),
      13,
      100,
      1,
    );
    if (isWhole) expect(steps).toBeGreaterThan(100);
  });

  /**
   * The parts of `machine` that `events` used: the transitions taken, and the result of each guard.
   */
  const use = (machine: AnyStateMachine, ...events: readonly string[]) => {
    const { machine: copy, transitions } = watchMachine(machine);
    let { state } = start(copy, 'a', null);
    for (const type of events) state = step(copy, 'a', state, { type }).state;
    const answers = transitions
      .filter(({ answers }) => answers.size > 0)
      .map(({ text, answers }) => [text, ...answers]);
    return { taken: transitions.filter(({ taken }) => taken).map(({ text }) => text), answers };
  };

  const yes = () => true;
  const no = () => false;

  it('evaluates alternatives in turn until a guard passes', () => {
    const go = [
      { guard: no, target: 'a' },
      { guard: yes, target: 'b' },
      { guard: yes, target: 'c' },
    ];
    const machine = createMachine({ initial: 'a', states: { a: { on: { go } }, b: {}, c: {} } });
    expect(use(machine, 'go')).toEqual({
      taken: ['a: go [(inline)] → b'],
      answers: [
        ['a: go [(inline)] → a', false],
        ['a: go [(inline)] → b', true],
      ],
    });
  });

  it('evaluates an outer state only where no inner one is enabled', () => {
    const inner = (guard: () => boolean) => ({
      initial: 'in',
      states: { in: { on: { go: { guard, actions: [] } } } },
    });
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { ...inner(yes), on: { go: { guard: yes, target: 'b' }, next: 'b' } },
        b: { ...inner(no), on: { go: { guard: yes, target: 'a' } } },
      },
    });
    expect(use(machine, 'go', 'next', 'go').answers).toEqual([
      ['a.in: go [(inline)]', true],
      ['b: go [(inline)] → a', true],
      ['b.in: go [(inline)]', false],
    ]);
  });

  it('does not count a transition that another region pre-empts', () => {
    const region = {
      initial: 'on',
      states: { on: { on: { leave: { guard: yes, target: '#out' } } } },
    };
    const machine = createMachine({
      initial: 'in',
      states: {
        in: { type: 'parallel', states: { left: region, right: region } },
        out: { id: 'out' },
      },
    });
    expect(use(machine, 'leave')).toEqual({
      taken: ['in.left.on: leave [(inline)] → out'],
      answers: [
        ['in.left.on: leave [(inline)] → out', true],
        ['in.right.on: leave [(inline)] → out', true],
      ],
    });
  });

  it('names guards as charts do', () => {
    const machine = setup({
      guards: { never: no, over: (_, { n }: { n: number }) => n < 2 },
      delays: { wait: 5 },
    }).createMachine({
      initial: 'on',
      states: {
        on: {
          always: { guard: and(['never', { type: 'over', params: { n: 2 } }]), target: 'off' },
          after: { 10: { guard: or([not('never'), stateIn('on')]), target: 'off' }, wait: 'off' },
          on: { 'job.*': { guard: { type: 'over', params: { n: 1 } }, target: ['off'] } },
        },
        off: {},
      },
    });
    const { machine: copy, transitions } = watchMachine(machine);
    const { state } = start(copy, 'a', null);
    for (const { id } of state.timers) fire(copy, 'a', state, id);
    step(copy, 'a', state, { type: 'job.done' });
    expect(transitions).toEqual([
      { text: 'on: job.* [over(n = 1)] → off', taken: true, answers: new Set([true]) },
      { text: 'on: after 10 ms [not never or in on] → off', taken: true, answers: new Set([true]) },
      { text: 'on: after wait → off', taken: true, answers: new Set() },
      { text: 'on: always [never and over(n = 2)] → off', taken: false, answers: new Set([false]) },
    ]);
  });
});
