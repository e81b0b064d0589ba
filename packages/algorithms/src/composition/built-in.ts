/** XState's own shapes of the actions and guards that it makes. */
import {
  type AnyTransitionDefinition,
  and,
  type EventObject,
  type GuardPredicate,
  type MachineContext,
  not,
  or,
  type ParameterizedObject,
  type StateValue,
  type UnknownAction,
} from 'xstate';

export type AnyAction = UnknownAction;
export type AnyGuard = NonNullable<AnyTransitionDefinition['guard']>;

/** The argument of a machine's functions in XState; some of them get more. */
export interface Args {
  readonly context: MachineContext;
  readonly event: EventObject;
}

export type Predicate = GuardPredicate<MachineContext, EventObject, unknown, ParameterizedObject>;
export type Expression = (args: Args, params: unknown) => unknown;

/** XState's form of a built-in action or guard: a function with fields. */
export interface BuiltIn {
  readonly name: string;
  readonly type?: string;
  readonly assignment?: unknown;
  readonly event?: unknown;
  readonly collect?: Expression;
  readonly sendId?: unknown;
  readonly id?: unknown;
  readonly delay?: unknown;
  readonly check?: unknown;
  readonly guards?: readonly AnyGuard[];
  readonly stateValue?: StateValue;
}

// XState's own shape of the functions that it makes
export const shapeOf = (made: object): BuiltIn => made as BuiltIn;

/**
 * What tells XState's combined guards. Their names do not: bundlers change the names of functions.
 */
export const checks = {
  and: shapeOf(and([])).check,
  or: shapeOf(or([])).check,
  not: shapeOf(not('')).check,
};

export const resultOf = (expression: unknown, args: Args, params: unknown): unknown =>
  typeof expression === 'function' ? (expression as Expression)(args, params) : expression;

/** The changes of an `assign`, which is given by a function, or field by field. */
export function changesOf(assignment: unknown, args: Args, params: unknown): object {
  if (typeof assignment === 'function') return (assignment as Expression)(args, params) as object;
  return Object.fromEntries(
    Object.entries(assignment as object).map(([field, value]) => [
      field,
      resultOf(value, args, params),
    ]),
  );
}
