import type { EventObject } from 'xstate';
import type { PlainState, PlainStep } from '../protocol/compiled/compile.js';
import { unhandledEvent } from '../protocol/handles.js';
import { copyOf, notPlain } from '../protocol/plain-data.js';
import { fire, type LocalState, type Step, start, step, type Timer } from '../protocol/step.js';
import type { ColumnStates } from './column-states.js';
import type { ColumnTimers } from './column-timers.js';
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
