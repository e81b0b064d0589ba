/** The steps of nodes in columns: taken by plan, with their effects and timers. */
import type { EventObject } from 'xstate';
import type { ConclaveError } from '../base/error.js';
import type { PlainState, PlainStep } from '../protocol/compiled/compile.js';
import type { PlainEffect } from '../protocol/compiled/situation.js';
import { timerArmedTwice } from '../protocol/contract-errors.js';
import { emittedEffect, notAnEffect } from '../protocol/effects.js';
import { unhandledEvent } from '../protocol/handles.js';
import { copyOf, freezesPlain, notPlain, present } from '../protocol/plain-data.js';
import {
  fire,
  frozen,
  type HostEffect,
  type LocalState,
  type Step,
  start,
  step,
  type Timer,
} from '../protocol/step.js';
import type { VirtualClock } from './clock.js';
import type { ColumnStates } from './column-states.js';
import { type Confirmation, differs, type Repetition } from './confirmation.js';

/** A step by plan; where it is to be confirmed, with the ways to repeat it. */
export interface ColumnStep {
  readonly before: PlainState | undefined;
  readonly taken: PlainStep;
  readonly again: Repetition | undefined;
}

/**
 * Takes the steps of the nodes by plan, and where a plan fails, or a step is to be confirmed, by
 * XState.
 */
export class ColumnSteps {
  constructor(
    private readonly states: ColumnStates,
    private readonly timers: ColumnTimers,
    private readonly confirmation: Confirmation,
  ) {}

  start(node: number, kind: 'start' | 'restart'): ColumnStep {
    const { states } = this;
    const isDue = this.confirmation.due();
    const input = kind === 'restart' || isDue ? states.inputOf(node, kind === 'restart') : null;
    const { machine, compiled } = states.roleOf(node);
    const again = {
      byXState: () => start(machine, states.idOf(node), copyOf(input)),
      byPlan: () => compiled.start(copyOf(input)),
    };
    const taken = kind === 'restart' ? states.beginAgain(node, input) : states.begin(node);
    return { before: undefined, taken, again: isDue ? again : undefined };
  }

  /** @throws {ConclaveError} `unhandled` where nothing in the state takes `event`. */
  take(node: number, event: EventObject): ColumnStep {
    const before = this.states.at(node);
    const again = this.confirmation.due() ? this.#again(node, before, event) : undefined;
    const taken =
      before.configuration.status === 'active' ? this.#byPlan(node, before, event) : undefined;
    if (!taken) throw unhandledEvent(this.states.idOf(node), before.configuration.value, event);
    return { before, taken, again };
  }

  /** The step of a timer that has expired. */
  fire(node: number, timer: Timer): ColumnStep {
    const before = this.states.at(node);
    const again = this.confirmation.due()
      ? this.#again(node, before, timer.event, timer)
      : undefined;
    try {
      return { before, taken: this.states.roleOf(node).compiled.fire(before, timer.event), again };
    } catch (error) {
      throw this.#failed(node, before, timer.event, error, timer);
    }
  }

  #byPlan(node: number, before: PlainState, event: EventObject): PlainStep | undefined {
    try {
      return this.states.roleOf(node).compiled.step(before, event);
    } catch (error) {
      throw this.#failed(node, before, event, error);
    }
  }

  /** The error of a step as XState has it. */
  #failed(
    node: number,
    before: PlainState,
    event: EventObject,
    error: unknown,
    timer?: Timer,
  ): unknown {
    try {
      this.#byXState(node, this.#local(node, before, timer), event, timer);
    } catch (byXState) {
      return byXState;
    }
    return differs(this.states.idOf(node), `'${event.type}'`, error);
  }

  #byXState(node: number, before: LocalState, event: EventObject, timer: Timer | undefined): Step {
    const { machine } = this.states.roleOf(node);
    const id = this.states.idOf(node);
    return timer ? fire(machine, id, before, timer.id) : step(machine, id, before, event);
  }

  /**
   * How to take the coming step again later, from a copy of what it begins with; undefined where
   * that is no plain data.
   */
  #again(
    node: number,
    before: PlainState,
    event: EventObject,
    timer?: Timer,
  ): Repetition | undefined {
    if (notPlain([before.context, event]) !== undefined) return undefined;
    const state = copyOf(this.#local(node, before, timer));
    const copy = copyOf(event);
    const { compiled } = this.states.roleOf(node);
    const from = (): PlainState => ({
      configuration: before.configuration,
      context: copyOf(state.context),
    });
    return {
      byXState: () => this.#byXState(node, copyOf(state), copyOf(copy), timer),
      byPlan: () => (timer ? compiled.fire(from(), copy) : compiled.step(from(), copy)),
    };
  }

  #local(
    node: number,
    { configuration, context }: PlainState,
    expired: Timer | undefined,
  ): LocalState {
    const { value, tags, history, status } = configuration;
    const armed = this.timers.of(node);
    const timers = expired ? [expired, ...armed] : armed;
    // checked where it matters
    return { value, context: context as LocalState['context'], tags, history, timers, status };
  }
}

const noEffects: readonly HostEffect[] = [];

/** What the steps of nodes on compiled machines do, but for their messages. */
export class ColumnEffects {
  /**
   * How a machine broke the node contract in the effects of a step; thrown after all have been
   * looked at.
   */
  #failure: ConclaveError | undefined;

  constructor(
    private readonly states: ColumnStates,
    private readonly timers: ColumnTimers,
    private readonly freezes: boolean,
  ) {}

  /** Arms and cancels the timers of a step; returns its effects. */
  perform(node: number, before: PlainState | undefined, taken: PlainStep): readonly HostEffect[] {
    const { state } = taken;
    const isDone = state.configuration.status !== 'active';
    const effects = this.#performed(node, taken.effects, isDone);
    if (this.freezes) this.#freeze(node, before, state, effects);
    if (this.#failure) throw this.#failure;
    return effects;
  }

  /** A node that is done cancels its timers. */
  #performed(
    node: number,
    planned: readonly PlainEffect[],
    isDone: boolean,
  ): readonly HostEffect[] {
    if (planned.length === 0 && !isDone) return noEffects;
    const [first] = planned;
    if (first && planned.length === 1 && !isDone) {
      const only = this.#effectOf(node, first);
      // the usual step, without the room that a list takes which grows
      return only ? [only] : noEffects;
    }
    const effects: HostEffect[] = [];
    for (const each of planned) {
      const effect = this.#effectOf(node, each);
      if (effect) effects.push(effect);
    }
    if (isDone)
      for (const timer of this.timers.cancelAll(node)) effects.push({ type: 'cancel', timer });
    return effects;
  }

  /** Undefined for a timer that was not armed, and where the machine broke the contract. */
  #effectOf(node: number, planned: PlainEffect): HostEffect | undefined {
    if (planned.type === 'emit') {
      const emitted = emittedEffect(planned.event);
      if (!emitted) this.#failure ??= notAnEffect(this.states.idOf(node), planned.event);
      return emitted;
    }
    if (planned.type === 'cancel')
      return this.timers.cancel(node, planned.timer) ? planned : undefined;
    if (this.timers.start(node, planned.timer)) return planned;
    this.#failure ??= timerArmedTwice(this.states.idOf(node), planned.timer.id);
    return undefined;
  }

  #freeze(
    node: number,
    before: PlainState | undefined,
    { context }: PlainState,
    effects: readonly HostEffect[],
  ): void {
    const id = this.states.idOf(node);
    const last = before?.context;
    // it was checked when it was frozen
    const known = last && Object.isFrozen(last) ? last : undefined;
    if (context !== last && !freezesPlain(context, known)) frozen(id, present(context), 'context');
    for (const effect of effects) if (!freezesPlain(effect)) frozen(id, effect, effect.type);
  }
}

interface Armed {
  readonly timer: Timer;
  /** The clock's handle. */
  readonly handle: unknown;
}

const none: readonly Armed[] = [];

/** The armed timers of all nodes; a node without one takes no memory. */
export class ColumnTimers {
  readonly #armed = new Map<number, readonly Armed[]>();

  constructor(
    private readonly clock: VirtualClock,
    /** How many milliseconds a timer of `delay` takes on the clock of a node. */
    private readonly durationOf: (node: number, delay: number) => number,
    private readonly expired: (node: number, timer: Timer) => void,
  ) {}

  /** The armed timers of `node`, in the order they were armed. */
  of(node: number): readonly Timer[] {
    return this.#of(node).map(({ timer }) => timer);
  }

  /** Arms a timer; false where it is armed already. */
  start(node: number, timer: Timer): boolean {
    const armed = this.#of(node);
    if (armed.some((other) => other.timer.id === timer.id)) return false;
    const fire = () => {
      this.#remove(node, timer.id);
      this.expired(node, timer);
    };
    this.#armed.set(node, [
      ...armed,
      { timer, handle: this.clock.setTimer(fire, this.durationOf(node, timer.delay)) },
    ]);
    return true;
  }

  /** Whether the timer was armed. */
  cancel(node: number, timer: string): boolean {
    const found = this.#of(node).find((armed) => armed.timer.id === timer);
    if (!found) return false;
    this.clock.clearTimeout(found.handle);
    this.#remove(node, timer);
    return true;
  }

  /** Cancels all timers of `node`; returns their ids. */
  cancelAll(node: number): readonly string[] {
    const armed = this.#of(node);
    for (const { handle } of armed) this.clock.clearTimeout(handle);
    this.#armed.delete(node);
    return armed.map(({ timer }) => timer.id);
  }

  /** Cancels all timers. */
  stop(): void {
    for (const node of [...this.#armed.keys()]) this.cancelAll(node);
  }

  #of(node: number): readonly Armed[] {
    return this.#armed.get(node) ?? none;
  }

  #remove(node: number, timer: string): void {
    const left = this.#of(node).filter((armed) => armed.timer.id !== timer);
    if (left.length === 0) this.#armed.delete(node);
    else this.#armed.set(node, left);
  }
}
