import type { AnyStateMachine, EventObject } from 'xstate';
import { emittedEffect } from '../effects.js';
import { unhandledEvent } from '../handles.js';
import type { Json, NodeId } from '../node.js';
import { freezesPlain, present } from '../plain-data.js';
import { enterUserCode, leaveUserCode } from '../purity.js';
import {
  fire,
  frozen,
  type HostEffect,
  type LocalState,
  type Step,
  start,
  step,
  type Timer,
  takes,
} from '../step.js';
import { type CompiledMachine, compile, type PlainState, type PlainStep } from './compile.js';
import { configurationWith } from './configurations.js';
import { NotCompilable } from './recorder.js';
import type { Context, PlainEffect } from './situation.js';

/**
 * The steps of a node as data: the functions of the same names in `step.ts`, with the same errors.
 */
export interface Stepper {
  start(machine: AnyStateMachine, id: NodeId, input: Json): Step;
  step(machine: AnyStateMachine, id: NodeId, state: LocalState, event: EventObject): Step;
  fire(machine: AnyStateMachine, id: NodeId, state: LocalState, timer: string): Step;
  takes(machine: AnyStateMachine, state: LocalState, event: EventObject, id?: NodeId): boolean;
  /** Whether what its steps yield is neither checked nor frozen. */
  readonly unchecked?: boolean;
}

/** XState takes each step. */
export const byXState: Stepper = { start, step, fire, takes };

/**
 * Each step is taken by plan. XState repeats the ones that fail, for their errors, and takes all of
 * a machine that is not compiled.
 */
export const byPlan: Stepper = {
  start(machine, id, input) {
    const data = frozen(id, input, 'input');
    return byPlanOr(
      machine,
      id,
      (compiled) => settled(id, compiled.start(data), [], undefined),
      () => start(machine, id, input),
    );
  },
  step(machine, id, state, event) {
    const taken = byPlanOr(
      machine,
      id,
      (compiled) => {
        const taken = compiled.step(plainOf(compiled, state), event);
        return taken && settled(id, taken, state.timers, plainContext(state));
      },
      () => step(machine, id, state, event),
    );
    if (!taken) throw unhandledEvent(id, state.value, event);
    return taken;
  },
  fire(machine, id, state, timer) {
    const armed = state.timers.find((one) => one.id === timer);
    return byPlanOr(
      machine,
      id,
      (compiled) => {
        if (!armed) throw refused;
        const others = state.timers.filter((other) => other !== armed);
        return settled(
          id,
          compiled.fire(plainOf(compiled, state), armed.event),
          others,
          plainContext(state),
        );
      },
      () => fire(machine, id, state, timer),
    );
  },
  takes(machine, state, event, id = machine.id) {
    return byPlanOr(
      machine,
      id,
      (compiled) => compiled.takes(plainOf(compiled, state), event),
      () => takes(machine, state, event, id),
    );
  },
};

/** Where a plan meets what a node must not do: XState repeats the step and gives the error. */
const refused = new NotCompilable('breaks the node contract');

function byPlanOr<T>(
  machine: AnyStateMachine,
  id: NodeId,
  run: (compiled: CompiledMachine) => T,
  law: () => T,
): T {
  const compiled = compile(machine);
  if (compiled.uncompiled !== undefined) return law();
  try {
    const before = enterUserCode(`Node ${id}`);
    try {
      return run(compiled);
    } finally {
      leaveUserCode(before);
    }
  } catch {
    return law();
  }
}

function plainOf(
  compiled: CompiledMachine,
  { value, context, tags, history, status }: LocalState,
): PlainState {
  const configuration = configurationWith(tags);
  const isKnown =
    configuration?.value === value &&
    configuration.history === history &&
    configuration.status === status;
  return isKnown ? { configuration, context } : compiled.resolve(value, context, history, status);
}

/** A context that a step has frozen was checked then. */
const plainContext = ({ context }: LocalState): Context | undefined =>
  Object.isFrozen(context) ? context : undefined;

/** `before`: the context of the state before, if it is known to be plain. */
function settled(
  id: NodeId,
  taken: PlainStep,
  armed: readonly Timer[],
  before: Context | undefined,
): Step {
  const { configuration, context } = taken.state;
  const { value, tags, history, status } = configuration;
  const [effects, timers] =
    armed.length + taken.effects.length > 0 ? acted(id, taken.effects, armed, status) : nothing;
  const kept =
    context === before || freezesPlain(context, before)
      ? context
      : frozen(id, present(context), 'context');
  return {
    state: { value, context: kept as LocalState['context'], tags, history, timers, status },
    effects,
  }; // it is plain data
}

const nothing: readonly [readonly HostEffect[], readonly Timer[]] = [
  Object.freeze([]),
  Object.freeze([]),
];

function acted(
  id: NodeId,
  did: readonly PlainEffect[],
  armed: readonly Timer[],
  status: string,
): readonly [HostEffect[], readonly Timer[]] {
  const effects: HostEffect[] = [];
  let timers = armed;
  for (const effect of did) {
    if (effect.type === 'emit') {
      const emitted = emittedEffect(effect.event);
      if (!emitted) throw refused;
      effects.push(freshlyFrozen(id, emitted, emitted.type, effect));
    } else if (effect.type === 'start') {
      const { timer } = effect;
      if (timers.some((other) => other.id === timer.id)) throw refused;
      timers = [...timers, timer];
      effects.push(frozen(id, effect, 'timer'));
    } else {
      const left = timers.filter((timer) => timer.id !== effect.timer);
      if (left.length === timers.length) continue;
      timers = left;
      effects.push(effect);
    }
  }
  if (status !== 'active') {
    for (const timer of timers) effects.push({ type: 'cancel', timer: timer.id });
    timers = [];
  }
  return [effects, timers];
}

/** A frozen `holder` is an effect that is the same in each step: it is remembered. */
const freshlyFrozen = <T extends object>(id: NodeId, value: T, path: string, holder: object): T =>
  !Object.isFrozen(holder) && freezesPlain(value) ? value : frozen(id, value, path);
