/**
 * A machine compiled: its steps by plan, and by XState where no plan can say what XState does.
 *
 * A plan is what XState does in one situation, found once: the search takes each step without asking
 * again which transitions match, and which states are left and entered. Steps are pure, so a step
 * that throws may be repeated: each `catch` here takes any error, and XState takes the same step,
 * which gives its own error, or the outcome that no plan can express.
 */
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
  initialTransition,
  StateMachine,
} from 'xstate';
import { ConclaveError } from '../../base/error.js';
import { handles } from '../handles.js';
import type { Timer } from '../step.js';
import { transition } from '../transition.js';
import { spawn } from './actions.js';
import { Configurations } from './configurations.js';
import { Plans } from './plans.js';
import { NotCompilable } from './recorder.js';
import type {
  CompiledMachine,
  Context,
  PlainEffect,
  PlainState,
  PlainStep,
  Plan,
  Run,
  Selector,
  Situation,
} from './situation.js';

export type { CompiledMachine, PlainState, PlainStep } from './situation.js';

const compiled = new WeakMap<AnyStateMachine, CompiledMachine>();

/**
 * `machine`, compiled; the same object for the same machine. Changes of the machine after that are
 * not seen.
 */
export function compile(machine: AnyStateMachine): CompiledMachine {
  const known = compiled.get(machine);
  if (known) return known;
  const made = compiledNow(machine);
  compiled.set(machine, made);
  return made;
}

function compiledNow(machine: AnyStateMachine): CompiledMachine {
  const configurations = new Configurations(machine);
  const interpreted = (why: string) => new Interpreted(machine, configurations, why);
  if (!(machine instanceof StateMachine)) return interpreted('was built by another copy of XState');
  try {
    return new Planned(
      machine,
      new Plans(machine, configurations),
      configurations,
      interpreted(''),
    );
  } catch (error) {
    if (error instanceof NotCompilable) return interpreted(error.message);
    throw error;
  }
}

const noEffects: readonly PlainEffect[] = Object.freeze([]);

/**
 * The steps of a machine by plan. XState repeats a step that fails: for its errors, and for what no
 * plan can express.
 */
class Planned implements CompiledMachine {
  readonly logs: boolean;

  constructor(
    readonly machine: AnyStateMachine,
    private readonly plans: Plans,
    private readonly configurations: Configurations,
    private readonly interpreted: CompiledMachine,
  ) {
    this.logs = plans.logs;
  }

  start(input: unknown): PlainStep {
    try {
      const init = { type: 'xstate.init', input };
      const first = this.plans.initial();
      const run = runFrom(first.before, this.#context(input));
      perform(run, first, init);
      return this.#macrostep(run, init, undefined);
    } catch {
      return this.interpreted.start(input);
    }
  }

  step(state: PlainState, event: EventObject): PlainStep | undefined {
    try {
      const situation = this.plans.resting(state.configuration);
      if (situation.status !== 'active') return undefined;
      const selector = this.plans.selector(situation, event.type);
      if (selector === null) return undefined;
      const plan = this.#enabledPlan(selector, situation, state.context, event);
      if (plan === undefined) return undefined;
      const run = runFrom(situation, state.context);
      perform(run, plan, event);
      return this.#macrostep(run, event, state);
    } catch {
      return this.interpreted.step(state, event);
    }
  }

  fire(state: PlainState, event: EventObject): PlainStep {
    const step = this.step(state, event);
    if (step) return step;
    if (event.type.startsWith('xstate.error.actor') || state.configuration.status !== 'active')
      return this.interpreted.fire(state, event);
    try {
      return this.#macrostep(
        runFrom(this.plans.resting(state.configuration), state.context),
        event,
        state,
      );
    } catch {
      return this.interpreted.fire(state, event);
    }
  }

  takes(state: PlainState, event: EventObject): boolean {
    try {
      const situation = this.plans.resting(state.configuration);
      const selector =
        situation.status === 'active' ? this.plans.selector(situation, event.type) : null;
      return selector !== null && enables(selector, situation, state.context, event);
    } catch {
      return this.interpreted.takes(state, event);
    }
  }

  resolve(
    ...[value, context, history, status]: Parameters<CompiledMachine['resolve']>
  ): PlainState {
    return { configuration: this.configurations.resolve(value, history, status), context };
  }

  #context(input: unknown): Context {
    const { context } = this.machine.config;
    if (typeof context !== 'function') return context ?? {};
    return { ...context({ spawn, input, self: this.plans.scope.self }) };
  }

  /** The rest of the macrostep: `always`, and the events that were raised. */
  #macrostep(run: Run, event: EventObject, from: PlainState | undefined): PlainStep {
    const most = this.machine.options.maxIterations ?? Infinity;
    let mayTakeAlways = true;
    for (let count = 1; run.situation.status === 'active'; count++) {
      if (count > most) throw new Error('endless'); // XState says it
      const { situation, context } = run;
      const always: Selector | null = mayTakeAlways ? this.plans.always(situation) : null;
      let plan: Plan | undefined = this.#enabledPlan(always, situation, context, event);
      const isAlways: boolean = plan !== undefined;
      if (!isAlways) {
        const raised = run.raised.shift();
        if (raised === undefined) break;
        event = raised;
        const selector = this.plans.selector(situation, event.type);
        plan = this.#enabledPlan(selector, situation, context, event);
      }
      run.assigned = false;
      if (plan) perform(run, plan, event);
      mayTakeAlways = !isAlways || run.assigned || plan?.changes === true;
    }
    return this.#stepTo(run, from);
  }

  #stepTo(run: Run, from: PlainState | undefined): PlainStep {
    const configuration = run.situation.configuration ?? this.plans.configuration(run.situation);
    const isSame =
      from !== undefined && from.configuration === configuration && from.context === run.context;
    const state = isSame ? from : { configuration, context: run.context };
    return { state, effects: run.effects.length > 0 ? run.effects : noEffects };
  }

  /** The plan of the enabled transitions; undefined without any. */
  #enabledPlan(
    selector: Selector | null,
    situation: Situation,
    context: Context,
    event: EventObject,
  ): Plan | undefined {
    if (selector === null) return undefined;
    if (selector.regions.length > 0) {
      const transitions: number[] = [];
      addEnabled(transitions, selector, situation, context, event);
      return transitions.length > 0 ? this.plans.plan(situation, transitions) : undefined;
    }
    for (const candidate of selector.candidates) {
      if (candidate.guard !== undefined && !candidate.guard(context, event, situation)) continue;
      candidate.plan ??= this.plans.plan(situation, [candidate.transition]);
      return candidate.plan;
    }
    return undefined;
  }
}

const runFrom = (situation: Situation, context: Context): Run => ({
  context,
  situation,
  effects: [],
  raised: [],
  assigned: false,
});

/** One microstep. */
function perform(run: Run, { ops, next }: Plan, event: EventObject): void {
  for (const op of ops) op(run, event);
  run.situation = next;
}

/** Adds the enabled transitions to `found`, each once. Returns whether there are any. */
function addEnabled(
  found: number[],
  { regions, candidates }: Selector,
  situation: Situation,
  context: Context,
  event: EventObject,
): boolean {
  let some = false;
  for (const region of regions)
    if (addEnabled(found, region, situation, context, event)) some = true;
  if (some) return true;
  for (const { transition, guard } of candidates) {
    if (guard !== undefined && !guard(context, event, situation)) continue;
    if (!found.includes(transition)) found.push(transition);
    return true;
  }
  return false;
}

/** Whether the selector selects a transition. */
const enables = (
  { regions, candidates }: Selector,
  situation: Situation,
  context: Context,
  event: EventObject,
): boolean =>
  regions.some((region) => enables(region, situation, context, event)) ||
  candidates.some(({ guard }) => guard === undefined || guard(context, event, situation));

interface ExecutedAction {
  readonly type: string;
  readonly params?: unknown;
}

/**
 * The steps of a machine as XState takes them: of a machine that is not compiled, and to give the
 * error of one that is.
 */
export class Interpreted implements CompiledMachine {
  constructor(
    readonly machine: AnyStateMachine,
    private readonly configurations: Configurations,
    readonly uncompiled: string,
  ) {}

  start(input: unknown): PlainStep {
    const [snapshot, actions] = initialTransition(this.machine, input);
    return this.#stepFrom(snapshot, actions);
  }

  step(state: PlainState, event: EventObject): PlainStep | undefined {
    const snapshot = this.#snapshot(state);
    return handles(this.machine, snapshot, event) ? this.#stepBy(snapshot, event) : undefined;
  }

  fire(state: PlainState, event: EventObject): PlainStep {
    return this.#stepBy(this.#snapshot(state), event);
  }

  takes(state: PlainState, event: EventObject): boolean {
    return handles(this.machine, this.#snapshot(state), event);
  }

  resolve(
    ...[value, context, history, status]: Parameters<CompiledMachine['resolve']>
  ): PlainState {
    return { configuration: this.configurations.resolve(value, history, status), context };
  }

  #snapshot({ configuration, context }: PlainState): AnyMachineSnapshot {
    return this.configurations.snapshot(configuration, context);
  }

  #stepBy(snapshot: AnyMachineSnapshot, event: EventObject): PlainStep {
    return this.#stepFrom(...transition(this.machine, snapshot, event));
  }

  #stepFrom(snapshot: AnyMachineSnapshot, actions: readonly ExecutedAction[]): PlainStep {
    if (snapshot.status === 'error') throw snapshot.error;
    if (Object.keys(snapshot.children).length > 0) throw this.#refusal('spawns an actor');
    if (snapshot.status === 'stopped')
      throw this.#refusal("takes 'xstate.stop', which stops an actor");
    const effects = actions.flatMap((action) => this.#effect(action) ?? []);
    const state = { configuration: this.configurations.of(snapshot), context: snapshot.context };
    return { state, effects: effects.length > 0 ? effects : noEffects };
  }

  #effect({ type, params }: ExecutedAction): PlainEffect | undefined {
    switch (type) {
      case 'xstate.emit':
        // XState's own shape of this action
        return { type: 'emit', event: (params as { event: EventObject }).event };
      case 'xstate.raise': {
        // XState's own shape of this action
        const { event, id, delay } = params as Partial<Timer> & Pick<Timer, 'event'>;
        if (delay === undefined) return undefined; // it was taken in this same step
        if (id === undefined)
          throw this.#refusal(
            `raises '${event.type}' after ${delay} ms without an id`,
            'Give it one: raise(event, { delay, id }).',
          );
        return { type: 'start', timer: { id, delay, event } };
      }
      case 'xstate.cancel':
        // XState's own shape of this action
        return { type: 'cancel', timer: (params as { sendId: string }).sendId };
      case 'xstate.log':
        return undefined;
      default:
        throw this.#refusal(`runs the action '${type}'`);
    }
  }

  #refusal(
    what: string,
    cure = 'As pure logic, a machine acts by assign, emit, raise and cancel only.',
  ): ConclaveError {
    return new ConclaveError('bad-protocol', `Machine '${this.machine.id}' ${what}`, cure);
  }
}
