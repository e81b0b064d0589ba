import type { StateValue } from 'xstate';
import { ConclaveError } from '../base/error.js';
import { stateText } from './handles.js';
import type { Effect, Message, NodeId } from './node.js';
import type { Cause } from './property.js';

/** What a machine may emit. */
export type Emitted = Effect<Message, Message>;

export type Send = Extract<Emitted, { readonly type: 'send' }>;

/** What a machine has emitted as an effect of the node contract, if it is one. */
export const emittedEffect = (emitted: unknown): Emitted | undefined =>
  mistakeIn(emitted) === undefined ? (emitted as Emitted) : undefined; // it has all parts of one

/** What is wrong with an effect; undefined for a right one. */
function mistakeIn(emitted: unknown): string | undefined {
  if (!isObject(emitted)) return 'an effect is an object with a type';
  // field by field: what somebody else emits may note which of its fields are read
  const effect = emitted as Readonly<Partial<Record<string, unknown>>>;
  const { type } = effect;
  if (type === 'send') {
    if (typeof effect.to !== 'string') return 'it names no node to send to';
    return isTyped(effect.message) ? undefined : 'its message is no object with a type';
  }
  if (type === 'notify')
    return isTyped(effect.notification) ? undefined : 'its notification is no object with a type';
  if (type === 'choose') {
    const { options, weights } = effect;
    return Array.isArray(options) && options.length > 0
      ? mistakeInWeights(weights, options.length)
      : 'it gives no options to choose from';
  }
  return 'there is no such effect';
}

function mistakeInWeights(weights: unknown, options: number): string | undefined {
  if (weights === undefined) return undefined;
  if (!Array.isArray(weights) || weights.length !== options)
    return 'it does not give one weight for each option';
  if (!weights.every((weight) => Number.isSafeInteger(weight) && weight > 0))
    return 'a weight is no positive whole number';
  return Number.isSafeInteger(weights.reduce((sum, weight) => sum + weight, 0))
    ? undefined
    : 'its weights are too large';
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isTyped = (value: unknown): boolean =>
  isObject(value) && typeof (value as Partial<Message>).type === 'string';

/** The error for a machine that emits something else than an effect. */
export const notAnEffect = (id: NodeId, emitted: unknown): ConclaveError =>
  new ConclaveError(
    'bad-protocol',
    `Node ${id} emits ${textOf(emitted)}: ${mistakeIn(emitted)}`,
    'A node emits send(to, message), notify(notification), choose(option, …) or draw(options).',
  );

const mostText = 120;

function textOf(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value); // undefined for a function
  } catch {
    // It refers to itself, or holds a bigint.
  }
  text ??= typeof value === 'object' ? 'what is not plain data' : String(value);
  return text.length > mostText ? `${text.slice(0, mostText)}…` : text;
}

/**
 * `error`; that of a machine which has broken the node contract says in which step. `before`: the
 * state, undefined where there was none; `cause`: undefined at a start or restart.
 */
export function duringStep(
  error: unknown,
  before: StateValue | undefined,
  cause: Cause | undefined,
): unknown {
  if (!(error instanceof ConclaveError) || error.code !== 'bad-protocol') return error;
  const { code, what, cure } = error;
  const step =
    cause && before !== undefined
      ? `was in '${stateText(before)}' when ${causeText(cause)}`
      : 'was starting';
  return new ConclaveError(code, `${what}. It ${step}`, cure, { cause: error.cause ?? error });
}

function causeText(cause: Cause): string {
  if (cause.kind === 'message') return `it got '${cause.message.type}' from ${cause.from}`;
  if (cause.kind === 'command') return `it was told '${cause.command.type}'`;
  return cause.kind === 'timeout'
    ? `its timer '${cause.timer.replace(/^xstate\.after\./, '')}' fired`
    : `'${JSON.stringify(cause.value)}' was chosen`;
}
