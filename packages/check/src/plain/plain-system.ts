/**
 * A plain system: states and actions as functions over plain data, without statecharts. What is
 * refused of one, and how errors show its data.
 *
 * A state is known by its text, so data that JSON loses would make two states one, and a function
 * that changes its argument would change states that were found before. Both would give a wrong
 * verdict in silence; so both are errors.
 */
import {
  changesFrozen,
  differenceOf,
  identical,
  impure,
  notPlain,
  placeOf,
  plainCure,
  plainData,
} from '@conclave/core/internal';
import type { Json } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';

/**
 * A system of plain functions over plain data. It begins in `initial`, or in each of `initials`.
 */
export type PlainSystem<S extends Json, A extends Json> = {
  readonly actions: (state: S) => readonly A[];
  readonly next: (state: S, action: A) => S;
  /**
   * The fairness class of an action: while an action of a class stays possible, one of the class is
   * eventually taken. Undefined: the action may be delayed forever. Without `fair`, a run may stop
   * anywhere, and an `eventually` that is false at the start is violated by doing nothing.
   * `() => 'step'` says that some action is taken as long as one is possible.
   */
  readonly fair?: (action: A) => string | undefined;
  /**
   * Where one of the actions is drawn at random: a positive whole number for each, in their order.
   * Undefined where the scheduler chooses. For `expectedOfSystem` and `almostSurely`.
   */
  readonly weights?: (state: S) => readonly number[] | undefined;
  /**
   * Whether a run may end here; called for states without actions. Without `done` no state counts
   * as a deadlock.
   */
  readonly done?: (state: S) => boolean;
} & (
  | { readonly initial: S; readonly initials?: undefined }
  | { readonly initials: readonly S[]; readonly initial?: undefined }
);

/** @throws {ConclaveError} `bad-input` for a system with a missing or invalid part. */
export function requireSystem<S extends Json, A extends Json>(system: PlainSystem<S, A>): void {
  const { actions, next, fair, weights, done } = system;
  for (const [name, value] of Object.entries({ actions, next }))
    if (typeof value !== 'function')
      throw badInput(`The system's ${name} is ${excerpt(value)}`, 'Give a function.');
  for (const [name, value] of Object.entries({ fair, weights, done }))
    if (value !== undefined && typeof value !== 'function')
      throw badInput(
        `The system's ${name} is ${excerpt(value)}`,
        'Give a function, or leave it out.',
      );
  requireInitialStates(system);
}

function requireInitialStates<S extends Json>({
  initial,
  initials,
}: Pick<PlainSystem<S, Json>, 'initial' | 'initials'>): void {
  if (initial !== undefined && initials !== undefined)
    throw badInput(
      'The system has both initial and initials',
      'Give one state as initial, or a list of states as initials.',
    );
  if (initial === undefined && initials === undefined)
    throw badInput(
      'The system has no initial state',
      'Give one state as initial, or a list of states as initials.',
    );
  if (initials !== undefined && !(Array.isArray(initials) && initials.length > 0))
    throw badInput(
      `The system's initials are ${excerpt(initials)}`,
      'Give a list with at least one state.',
    );
}

/**
 * The value, checked.
 * @throws {ConclaveError} `bad-input` for data that is not plain: its text would not identify it.
 */
export const plainState = <T>(value: T, name: string, where: () => string = () => ''): T =>
  plainData(value, name, (bad) =>
    badInput(`The system: ${bad} is not plain data${where()}`, plainCure),
  );

/** @throws {ConclaveError} `impure` if `after` differs from `before`. */
export function requireSame(who: () => string, before: unknown, after: unknown): void {
  if (before === after || identical(before, after)) return;
  const changed = differenceOf(before, after);
  if (changed) throw impure(who(), changed);
}

/** The error of a user function that has thrown, in `state` or for another value. */
export function failureOf(
  what: string,
  error: unknown,
  state: unknown,
  where = 'in the state',
): ConclaveError {
  if (changesFrozen(error))
    return impure(
      `${what}, asked ${where} ${excerpt(state)},`,
      `${error.message}${placeOf(error)}`,
      error,
    );
  if (error instanceof ConclaveError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new ConclaveError('bad-protocol', `${what} fails ${where} ${excerpt(state)}: ${why}`, '', {
    cause: error,
  });
}

/** A value in an error: not all of a large one. */
export function excerpt(value: unknown): string {
  const odd = () =>
    typeof value === 'function'
      ? 'a function'
      : typeof value === 'object'
        ? 'what is not plain data'
        : String(value);
  const text = notPlain(value) === undefined ? JSON.stringify(value) : odd();
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
