import { badInput } from '../base/error.js';
import { largestCounter } from '../protocol/counters.js';
import type { Message } from '../protocol/node.js';
import { notPlain } from '../protocol/plain-data.js';
import type { Shape } from '../protocol/protocol.js';

/**
 * `value` as one of the messages (or commands) that `shapes` declares: exactly their fields, all
 * plain data, and counters where it declares them. What else the fields hold is not checked.
 *
 * @param where how the error begins, such as `Node b got from a`
 * @throws {ConclaveError} `bad-input`
 */
export function checked(shapes: Shapes, value: unknown, where: string, cure = ''): Message {
  if (isMessage(value)) {
    if (settled.get(value) === shapes) return value;
    const wrong = mistakeIn(shapes, value);
    if (wrong !== undefined) throw badInput(`${where} ${wrong}`, cure);
    if (Object.isFrozen(value) && isFlat(value)) settled.set(value, shapes);
    return value;
  }
  throw badInput(`${where} something that is not an object with a type`, cure);
}

type Shapes = Readonly<Record<string, Shape>>;

/** What cannot change after it was checked by these shapes: such as a command without fields. */
const settled = new WeakMap<Message, Shapes>();

const isFlat = (value: Message): boolean =>
  Object.values(value).every((field: unknown) => typeof field !== 'object');

const none: readonly string[] = [];

function mistakeIn(shapes: Shapes, value: Message): string | undefined {
  const { type } = value;
  const shape = Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  if (!shape) return `'${type}', which is none of ${Object.keys(shapes).join(', ')}`;
  const { fields = none, counters = none } = shape;
  for (const field of fields)
    if (!Object.hasOwn(value, field)) return `'${type}' without its field '${field}'`;
  for (const key in value)
    if (key !== 'type' && Object.hasOwn(value, key) && !fields.includes(key))
      return `'${type}' with a field '${key}', which is not declared`;
  const bad = notPlain(value);
  if (bad !== undefined) return `'${type}' whose ${bad} is not plain data`;
  const largest = largestCounter(value, counters);
  return typeof largest === 'string' ? `'${type}' whose ${largest}` : undefined;
}

export const isMessage = (value: unknown): value is Message =>
  isRecord(value) && typeof value.type === 'string';

/** Whether it is an object, and no list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
