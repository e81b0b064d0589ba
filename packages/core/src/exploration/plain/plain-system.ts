import { badInput } from '../../base/error.js';
import type { Json } from '../../protocol/node.js';
import { excerpt } from './plain-refusals.js';

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
  const { initial, initials, actions, next, fair, weights, done } = system;
  for (const [name, value] of Object.entries({ actions, next }))
    if (typeof value !== 'function')
      throw badInput(`The system's ${name} is ${excerpt(value)}`, 'Give a function.');
  for (const [name, value] of Object.entries({ fair, weights, done }))
    if (value !== undefined && typeof value !== 'function')
      throw badInput(
        `The system's ${name} is ${excerpt(value)}`,
        'Give a function, or leave it out.',
      );
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
