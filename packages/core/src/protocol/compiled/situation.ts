import type { AnyActorScope, AnyStateMachine, EventObject, StateValue } from 'xstate';
import type { LocalState } from '../step.js';

export type Context = Readonly<Record<string, unknown>>;

export type PlainEffect = PlainStep['effects'][number];

/** The arguments of user code that do not depend on the step. */
export type Scope = Pick<AnyActorScope, 'self' | 'system'>;

/** A guard, compiled; what it returns counts as XState counts it. */
export type Guard = (context: Context, event: EventObject, at: Situation) => unknown;

/** A part of a plan: an action, compiled. */
export type Op = (run: Run, event: EventObject) => void;

/** What a set of enabled transitions does in one situation. */
export interface Plan {
  readonly ops: readonly Op[];
  readonly next: Situation;
  /**
   * Whether XState makes a new snapshot, actions apart: only then does it ask `always` again after
   * a transition of `always`.
   */
  readonly changes: boolean;
}

/** A transition that may be enabled in a situation. */
export interface Candidate {
  readonly transition: number;
  readonly guard: Guard | undefined;
  /** Of this transition alone, once it was taken. */
  plan: Plan | undefined;
}

/**
 * Selects transitions: those that its regions select, or, if they select none, the first candidate
 * whose guard holds.
 */
export interface Selector {
  readonly regions: readonly Selector[];
  readonly candidates: readonly Candidate[];
}

/** Plans by the enabled transitions, in their order. */
export interface PlanTree {
  plan: Plan | undefined;
  readonly next: Map<number, PlanTree>;
}

/**
 * A configuration, in the order in which XState has its nodes within a macrostep, with all that was
 * found out about it.
 */
export interface Situation {
  readonly nodes: readonly number[];
  readonly history: ReadonlyMap<string, readonly number[]>;
  readonly value: StateValue;
  readonly status: Configuration['status'];
  /** The configuration if the macrostep ends here, once one did. */
  configuration: Configuration | undefined;
  /** By type of event; null: nothing in it handles such events. */
  readonly selectors: Map<string, Selector | null>;
  /** Of `always`; null: none; undefined: not yet known. */
  always: Selector | null | undefined;
  readonly plans: PlanTree;
}

/** A step under way. */
export interface Run {
  context: Context;
  /** Before the microstep: guards and actions see it until the microstep ends. */
  situation: Situation;
  effects: PlainEffect[];
  /** Events that it raised, and that wait. */
  raised: EventObject[];
  /** Whether an action of this microstep assigned, even nothing new. */
  assigned: boolean;
}

/** The state of a machine between two steps. */
export interface PlainState {
  /**
   * The active state nodes of a machine, its history and its status; interned: one object per
   * machine and configuration.
   */
  readonly configuration: {
    /** 0, 1, 2 … within its compiled machine. */
    readonly number: number;
    /** Regions in document order. */
    readonly value: StateValue;
    /** Sorted as strings. */
    readonly tags: readonly string[];
    readonly tagSet: ReadonlySet<string>;
    /** History states: the ids of the state nodes to return to, sorted. */
    readonly history: Readonly<Record<string, readonly string[]>>;
    readonly status: 'active' | 'done';
  };
  readonly context: Readonly<Record<string, unknown>>;
}

export type Configuration = PlainState['configuration'];

export interface PlainStep {
  readonly state: PlainState;
  /**
   * In the machine's order. One shared empty list where there are none. A cancel may name a timer
   * that is not armed: a machine does not know its timers.
   */
  readonly effects: readonly (
    | { readonly type: 'emit'; readonly event: EventObject }
    | { readonly type: 'start'; readonly timer: LocalState['timers'][number] }
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
    history: PlainState['configuration']['history'],
    status: string,
  ): PlainState;
}
