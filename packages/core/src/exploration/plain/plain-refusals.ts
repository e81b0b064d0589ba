/** What is refused of a plain system, and how errors show its data. */
import { badInput, ConclaveError } from '../../base/error.js';
import {
  changesFrozen,
  differenceOf,
  impure,
  notPlain,
  placeOf,
  plainCure,
  plainData,
} from '../../protocol/plain-data.js';

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
  const changed = before === after ? undefined : differenceOf(before, after);
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
