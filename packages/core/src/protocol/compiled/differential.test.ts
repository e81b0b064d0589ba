/**
 * The compiler against XState, on random machines. A failure names its seed and prints a smaller
 * machine with the same fault.
 */
import { isWhole, proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, EventObject } from 'xstate';
import { ConclaveError } from '../../base/error.js';
import { Dice, type Draw, drawsOf, replayed, shrunk } from '../dice.contract.js';
import { eventTypes, type Kind, marked, ran } from '../random-actions.contract.js';
import { isLegal, makeUp, text } from '../random-machine.contract.js';
import type { LocalState, Step } from '../step.js';
import { compile } from './compile.js';
import { Features, fallBacks, snapshotOf } from './features.contract.js';
import { Recorder } from './recorder.js';
import { byPlan, byXState, type Stepper } from './stepper.js';

const machines = 8_000;
const seeds = sampled(
  Array.from({ length: machines }, (_, index) => index + 1),
  250,
);
const moves = 4;

interface Outcome {
  /** The state and the effects, or the error, as text. */
  readonly text: string;
  readonly state?: LocalState;
}

function outcome(run: () => Step): Outcome {
  try {
    const { state, effects } = run();
    // XState's order depends on the path
    const history = Object.entries(state.history).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      text: JSON.stringify([
        state.value,
        state.context,
        state.tags,
        history,
        state.timers,
        state.status,
        effects,
      ]),
      state,
    };
  } catch (error) {
    return { text: textOf(error) };
  }
}

function answer(run: () => boolean): string {
  try {
    return String(run());
  } catch (error) {
    return textOf(error);
  }
}

function textOf(error: unknown): string {
  if (error instanceof ConclaveError) return `${error.code}: ${error.message}`;
  throw error;
}

/** What XState must have done at least five times on a tenth of the machines. */
const used = [
  ...[
    'xstate.emit',
    'xstate.raise',
    'xstate.raise, delayed',
    'xstate.cancel',
    'entry actions',
    'exit actions',
    'initial actions',
    'after',
  ],
  ...[
    'targetless',
    'reenter',
    'several targets',
    'target root',
    'of the root',
    'guarded',
    'always',
    'a later candidate',
  ],
  ...[
    'wildcard',
    'wildcard takes an event of XState',
    'transitions of several regions',
    'regions in order of entry',
    'nested parallel',
  ],
  ...[
    'shallow history, recorded',
    'shallow history, by default',
    'deep history, recorded',
    'deep history, by default',
  ],
  ...[
    'final state',
    'final state with output',
    'onDone of a compound state',
    'onDone of a parallel state',
  ],
  ...['three microsteps or more', 'done'],
];

/** How steps must have failed. */
const failures: Readonly<Record<string, RegExp>> = {
  'nothing handles it': /does not handle/,
  'arms a timer twice': /while it is still armed/,
  'arms a timer without an id': /without an id/,
  'an endless loop': /Infinite loop/,
  'an illegal configuration': /reaches an illegal configuration/,
  'a guard that fails, named in the error': /failed: Unable to evaluate guard/,
  'a guard of always or check that fails': /failed: (guard|params|Guard)/,
  'an action that fails': /failed: (assign|emit)/,
  "an action that is not a node's": /runs the action/,
  'an emission that is not an effect': /: there is no such effect/,
  'a context that is no plain data': /: context\.h \(.*\) is not plain/,
  'an effect that is no plain data': /: (send|timer)\..* is not plain/,
};

/** Why a machine is not compiled: only odd ones are not. */
const uncompiled = [
  'uses the guard …, which does not exist',
  'runs the action …',
  'runs the action …, which does not exist',
];

class Differs extends Error {}

type Move = { readonly event: EventObject } | { readonly timer: string };

const moveOf = (dice: Dice, { timers }: LocalState): Move => {
  const timer = timers[dice.upTo(2 * timers.length)]?.id;
  return timer === undefined
    ? { event: { type: dice.oneOf(eventTypes), k: dice.upTo(3) } as EventObject }
    : { timer };
};

const take = (stepper: Stepper, machine: AnyStateMachine, state: LocalState, move: Move): Step =>
  'event' in move
    ? stepper.step(machine, 'a', state, move.event)
    : stepper.fire(machine, 'a', state, move.timer);

/** What the walks have met. */
class Tally {
  readonly counts = new Map<string, number>();
  /** Of a part of the machines, since looking costs as much as a step. */
  features: Features | undefined;
  readonly #fallBacks = fallBacks();

  add(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  machine(machine: AnyStateMachine, kind: Kind): void {
    const { uncompiled } = compile(machine);
    const reason = uncompiled?.replace(/'[^']*'/g, '…');
    this.add(
      reason === undefined ? 'compiled' : `${kind === 'odd' ? '' : 'not odd, but '}${reason}`,
    );
  }

  /** What `run`, a step by plan, gives. */
  outcome(run: () => Step, machine: AnyStateMachine): Outcome {
    this.#fallBacks.since();
    const found = outcome(run);
    if (!found.state)
      this.add(
        Object.keys(failures).find((kind) => failures[kind]?.test(found.text)) ?? found.text,
      );
    else if (compile(machine).uncompiled !== undefined) this.add('not compiled');
    else this.add(this.#byPlan(found.state) ? 'by plan' : 'compiled, but by XState');
    return found;
  }

  /** Only XState's states keep a snapshot. */
  #byPlan = (state: LocalState): boolean =>
    Object.getOwnPropertySymbols(state).length === 0 && this.#fallBacks.since() === 0;

  stop(): void {
    this.#fallBacks.stop();
  }
}

/** A machine and a walk from `draw`. @throws {Differs} where XState and the plans differ. */
function walk(draw: Draw, kind: Kind, tally?: Tally): void {
  const machine = makeUp(draw, kind);
  tally?.machine(machine, kind);
  const dice = new Dice(draw);
  const past: unknown[] = ['start'];
  const agree = (law: string, plan: string, where = '') => {
    if (law !== plan)
      throw new Differs(
        `${text(machine)}\n${JSON.stringify(past)}${where}\nXState ${law}\nplan   ${plan}`,
      );
  };
  const byPlans = (run: () => Step) => (tally ? tally.outcome(run, machine) : outcome(run));
  let law = outcome(() => byXState.start(machine, 'a', 7));
  let plan = byPlans(() => byPlan.start(machine, 'a', 7));
  agree(law.text, plan.text);
  if (law.state) tally?.features?.look(machine, 7);
  for (let index = 0; index < moves; index++) {
    const [before, planned] = [law.state, plan.state];
    if (!before || !planned) return;
    const snapshot = snapshotOf(before);
    if (snapshot && !isLegal(snapshot))
      throw new Differs(`${text(machine)}\n${JSON.stringify(past)} is illegal`);
    const move = moveOf(dice, before);
    past.push(move);
    if ('event' in move) {
      const { event } = move;
      const taken = answer(() => byXState.takes(machine, before, event));
      agree(
        taken,
        answer(() => byPlan.takes(machine, planned, event)),
        ' taken',
      );
    }
    law = outcome(() => take(byXState, machine, before, move));
    plan = byPlans(() => take(byPlan, machine, planned, move));
    agree(law.text, plan.text);
    if (law.state) {
      const event =
        'event' in move ? move.event : before.timers.find(({ id }) => id === move.timer)?.event;
      if (event && snapshot) tally?.features?.look(machine, 7, snapshot, event);
      if (index % 2 === 1) {
        const revived: LocalState = JSON.parse(JSON.stringify(planned));
        agree(law.text, outcome(() => take(byPlan, machine, revived, move)).text, ' through JSON');
      }
      continue;
    }
    if (!law.text.startsWith('unhandled')) return;
    law = { text: '', state: before };
    plan = { text: '', state: planned };
  }
}

/** A walk from `seed`; if it fails, the error tells the smallest one found that fails. */
function walkFrom(seed: number, tally: Tally): void {
  const draws: number[] = [];
  const kind = seed % 4 === 0 ? 'odd' : 'wide';
  try {
    walk(drawsOf(seed, draws), kind, tally);
  } catch (error) {
    let last = error;
    shrunk(draws, (list) => {
      try {
        walk(replayed(list), kind);
        return false;
      } catch (again) {
        if (again instanceof Differs !== error instanceof Differs) return false;
        last = again;
        return true;
      }
    });
    throw new Error(`seed ${seed}: ${last instanceof Error ? last.message : String(last)}`, {
      cause: last,
    });
  }
}

describe('plans do what XState does', () => {
  it(`on ${seeds.length} random machines`, () => {
    const tally = new Tally();
    const features = new Features();
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0; // thousands of steps fail, and stacks are slow
    try {
      for (const seed of seeds) {
        tally.features = seed % 10 === 1 ? features : undefined;
        walkFrom(seed, tally);
      }
    } finally {
      tally.stop();
      Error.stackTraceLimit = stackTraceLimit;
    }
    if (!isWhole) return;
    const seen = ({ counts }: Tally | Features, what: string) => counts.get(what) ?? 0;
    expect(used.filter((what) => seen(features, what) < 5)).toEqual([]);
    expect(Object.keys(failures).filter((what) => seen(tally, what) < 10)).toEqual([]);
    expect(marked.filter((what) => (ran.get(what) ?? 0) < 400)).toEqual([]);
    expect(
      seen(tally, 'compiled') + uncompiled.reduce((sum, why) => sum + seen(tally, why), 0),
    ).toBe(machines);
    expect(seen(tally, 'compiled')).toBeGreaterThan(0.85 * machines);
    expect(seen(tally, 'by plan')).toBeGreaterThan(2 * machines);
    // where a guard that does not exist is enqueued, but not asked
    expect(seen(tally, 'compiled, but by XState')).toBeLessThan(10);
  });
});

type Recording = ReturnType<Recorder['microstep']>;
type Marks = Recording['marks'];

const reversed = (marks: Marks, kind: Marks[number]['kind']): Marks => {
  const turned = marks.filter((mark) => mark.kind === kind).reverse();
  return marks.map((mark) => (mark.kind === kind ? (turned.shift() ?? mark) : mark));
};
const only = (marks: Marks, ...kinds: Marks[number]['kind'][]) =>
  marks.filter(({ kind }) => kinds.includes(kind));

/** Compilers with one wrong rule each: what they make of XState's microstep. */
const wrong: readonly (readonly [string, (recording: Recording) => Partial<Recording>])[] = [
  ['the inner state is entered first', ({ marks }) => ({ marks: reversed(marks, 'entry') })],
  ['the outer state is left first', ({ marks }) => ({ marks: reversed(marks, 'exit') })],
  [
    'exit actions run last',
    ({ marks }) => ({
      marks: [...marks.filter(({ kind }) => kind !== 'exit'), ...only(marks, 'exit')],
    }),
  ],
  [
    'initial actions do not run',
    ({ marks }) => ({ marks: marks.filter(({ kind }) => kind !== 'initial') }),
  ],
  ['states are not done', ({ marks }) => ({ marks: marks.filter(({ kind }) => kind !== 'done') })],
  ['always is not asked again after a change of state alone', () => ({ changes: false })],
  [
    'nothing is recorded in a history',
    ({ reached }) => ({ reached: Object.assign(reached, { historyValue: {} }) }),
  ],
  [
    'regions are in the order of their ids',
    ({ reached }) => ({ reached: Object.assign(reached, { _nodes: byIds(reached._nodes) }) }),
  ],
];
const byIds = (nodes: Recording['reached']['_nodes']) =>
  [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1));

proof.each(wrong)('a wrong compiler is noticed where %s', (_what, change) => {
  const { microstep } = Recorder.prototype;
  Recorder.prototype.microstep = function (this: Recorder, ...args) {
    const recording = microstep.apply(this, args);
    return { ...recording, ...change(recording) };
  };
  const differs = (seed: number) => {
    try {
      walk(drawsOf(seed), 'wide');
      return false;
    } catch (error) {
      return error instanceof Differs;
    }
  };
  try {
    expect(Array.from({ length: 1500 }, (_, seed) => seed).some(differs)).toBe(true);
  } finally {
    Recorder.prototype.microstep = microstep;
  }
});
