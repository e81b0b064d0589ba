/**
 * Counters: ballots, terms, time stamps, sequence numbers.
 *
 * A machine counts on from the largest that it has heard of. One that is no whole number, or so
 * large that 1 more is the same number, would end that for good, at all nodes. So a protocol
 * declares its counters, in the {@link Shape} of a message and in a {@link Role}. Each host refuses
 * to send others; an embedded node also takes no others, neither from its channels nor from its
 * storage.
 *
 * A counter is named by its path: `ballot`, `next.ballot`, `served.*` for each item of a list or
 * record. A part that is null has no counters. `level?` may itself be null.
 */
import { contractError } from './contract-errors.js';
import type { Message, NodeId } from './node.js';
import type { Protocol, Role, Shape } from './protocol.js';

/**
 * How far a counter that arrives may be above all that a node knows: 8 years of a thousand a
 * second. A jump of that size leaves room for thousands of others.
 */
export const reach = 2 ** 38;

/** The field that a path begins in. */
export const fieldOfCounter = (path: string): string => /^[^.?]*/.exec(path)?.[0] ?? '';

/**
 * The largest of the counters at these paths; 0 where there is none. For one that is none, the text
 * of what is wrong, such as `next.ballot is 0.5`.
 */
export function largestCounter(
  holder: object,
  paths: NonNullable<Shape['counters']>,
): number | string {
  let largest = 0;
  for (const path of paths) {
    const direct: unknown = (holder as Fields)[path]; // most paths are names
    const found = isCounter(direct)
      ? direct
      : largestAt(holder, path.replace('?', '').split('.'), path.endsWith('?'));
    if (typeof found === 'string')
      return `${path.replace('?', '')} is ${found}, no whole number from 0 to 2^53 − 1`;
    if (found > largest) largest = found;
  }
  return largest;
}

type Fields = Readonly<Record<string, unknown>>;

const isCounter = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** Or the text of the value that is no counter. */
function largestAt(
  value: unknown,
  [step, ...rest]: readonly string[],
  mayBeNull: boolean,
): number | string {
  if (step === undefined) {
    if (isCounter(value)) return value;
    if (mayBeNull && (value === null || value === undefined)) return 0;
    return typeof value === 'object' && value !== null ? 'an object' : String(value).slice(0, 40);
  }
  if (typeof value !== 'object' || value === null) return 0;
  let largest = 0;
  for (const part of step === '*' ? Object.values(value) : [(value as Fields)[step]]) {
    const found = largestAt(part, rest, mayBeNull);
    if (typeof found === 'string') return found;
    if (found > largest) largest = found;
  }
  return largest;
}

/**
 * The largest counter in a message that node `id` sends.
 * @throws {ConclaveError} `bad-protocol` for a counter that is none.
 */
export function requireCounters({ messages }: Protocol, id: NodeId, message: Message): number {
  const { type } = message;
  const largest = largestCounter(message, messages[type]?.counters ?? none);
  if (typeof largest === 'string') throw contractError(id, `sends '${type}' whose ${largest}`);
  return largest;
}

const none: readonly string[] = [];

/** The same for stable fields, which may be missing. */
export const largestStored = ({ counters = none }: Role, fields: object): number | string =>
  largestCounter(
    fields,
    counters.map((path) => (path.endsWith('?') ? path : `${path}?`)),
  );
