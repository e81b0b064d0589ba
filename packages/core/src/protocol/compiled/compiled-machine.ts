import type { AnyStateMachine, EventObject, StateValue } from 'xstate';
import type { Timer } from '../step.js';
import type { Configuration } from './configurations.js';

/** The state of a machine between two steps. */
export interface PlainState {
  readonly configuration: Configuration;
  readonly context: Readonly<Record<string, unknown>>;
}

export interface PlainStep {
  readonly state: PlainState;
  /**
   * In the machine's order. One shared empty list where there are none. A cancel may name a timer
   * that is not armed: a machine does not know its timers.
   */
  readonly effects: readonly (
    | { readonly type: 'emit'; readonly event: EventObject }
    | { readonly type: 'start'; readonly timer: Timer }
    | { readonly type: 'cancel'; readonly timer: string }
  )[];
}

/** A machine as pure functions, as far as its own functions are pure. */
export interface CompiledMachine {
  readonly machine: AnyStateMachine;
  /**
   * Why XState takes the steps of this machine: what the compiler cannot express. Undefined: it is
   * compiled.
   */
  readonly uncompiled?: string;
  /** Whether it has an action that logs: a compiled step drops what it says. */
  readonly logs?: boolean;
  /** The first state for `input`, and what the actions on the way to it do. */
  start(input: unknown): PlainStep;
  /** One step on `event`; undefined: nothing in the state handles the event. */
  step(state: PlainState, event: EventObject): PlainStep | undefined;
  /**
   * As `step`, for the event of a timer: where nothing handles it, nothing happens, except that
   * XState asks `always` again.
   */
  fire(state: PlainState, event: EventObject): PlainStep;
  /** Whether something in the state handles `event`. */
  takes(state: PlainState, event: EventObject): boolean;
  /** The state of these parts, such as those read back from JSON. */
  resolve(
    value: StateValue,
    context: PlainState['context'],
    history: Configuration['history'],
    status: string,
  ): PlainState;
}
