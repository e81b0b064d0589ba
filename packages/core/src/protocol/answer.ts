import { badInput, ConclaveError } from '../base/error.js';
import { changesFrozen, impure, placeOf } from './plain-data.js';
import type { Property } from './property.js';
import { enterUserCode, leaveUserCode } from './purity.js';

/**
 * The result of a property's predicate for `view`.
 *
 * @throws {ConclaveError} `bad-input` for a result that is no boolean, and for a predicate that
 * throws; `impure` for one that changes its argument, reads a clock or draws a random number.
 */
export function answerOf<V>(
  property: Pick<Property, 'name'>,
  predicate: (view: V) => boolean,
  view: V,
): boolean {
  const answer = resultOf(property, predicate, view);
  if (answer === true || answer === false) return answer;
  throw badInput(
    `Property '${property.name}' answers ${valueText(answer)}, which is neither true nor false`,
    'Compare, as in context.owner !== null, or write Boolean(…).',
  );
}

/**
 * The number that a property reads from `node`.
 *
 * @throws {ConclaveError} as {@link answerOf}.
 */
export function numberOf<V>(
  property: Pick<Property, 'name'>,
  ask: (node: V) => number | undefined,
  node: V,
): number | undefined {
  const answer = resultOf(property, ask, node);
  if (answer === undefined || typeof answer === 'number') return answer;
  throw badInput(
    `Property '${property.name}' answers ${valueText(answer)}, which is no number`,
    'Give a number, or undefined where the node has none.',
  );
}

/**
 * What a step costs by the user's function `name`.
 *
 * @throws {ConclaveError} `bad-input` for a result that is no whole number from 0 on.
 */
export function amountFrom<V>(name: string, costOf: (view: V) => number, view: V): number {
  const answer = resultOf({ name }, costOf, view);
  if (Number.isSafeInteger(answer) && Number(answer) >= 0 && Number(answer) < 2 ** 31)
    return Number(answer);
  throw badInput(
    `The cost '${name}' of a step is ${valueText(answer)}, which is no whole number below 2³¹`,
    'Count in units that are small enough, from 0 on.',
  );
}

/** What the user's code returns, which need not be what its type says. */
function resultOf<V>(
  property: Pick<Property, 'name'>,
  ask: (view: V) => unknown,
  view: V,
): unknown {
  const before = enterUserCode(property);
  try {
    return ask(view);
  } catch (error) {
    throw failedProperty(property.name, error, ask);
  } finally {
    leaveUserCode(before);
  }
}

/** Of a predicate that takes functions out of the system, as in `({ inFlight }) => …`: which one. */
const takenApart = /^[^=]*\{[^}=]*\b(inFlight|count|tagged|distinct|node)\b[^=]*=>/;

function failedProperty(name: string, error: unknown, ask: unknown): ConclaveError {
  if (error instanceof ConclaveError)
    return new ConclaveError(error.code, `Property '${name}': ${error.what}`, error.cure, {
      cause: error,
    });
  if (changesFrozen(error))
    return impure(`Property '${name}'`, `${error.message}${placeOf(error)}`, error);
  const why = error instanceof Error ? `${error.message}${placeOf(error)}` : String(error);
  const [, taken] = (error instanceof TypeError && takenApart.exec(String(ask))) || [];
  const cure = taken
    ? `Ask the system itself, as in (system) => system.${taken}(…): taken out of it, ${taken} does not know of which system it is.`
    : 'Let it answer for every state.';
  return badInput(`Property '${name}' fails: ${why}`, cure, { cause: error });
}

function valueText(value: unknown): string {
  if (typeof value === 'function' || typeof value === 'object')
    return value === null ? 'null' : `a value of type ${typeof value}`;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
