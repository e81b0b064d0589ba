import { badInput } from '../base/error.js';
import type { Message } from '../protocol/node.js';
import { notPlain } from '../protocol/plain-data.js';
import type { Shape } from '../protocol/protocol.js';

/**
 * `value` as one of the messages (or commands) that `shapes` declares: exactly their fields, all
 * plain data. What the fields hold is not checked.
 *
 * @param where how the error begins, such as `Node b got from a`
 * @throws {ConclaveError} `bad-input`
 */
export function checked(
  shapes: Readonly<Record<string, Shape>>,
  value: unknown,
  where: string,
  cure = '',
): Message {
  const refuse = (what: string) => badInput(`${where} ${what}`, cure);
  if (!isMessage(value)) throw refuse('something that is not an object with a type');
  const shape = Object.hasOwn(shapes, value.type) ? shapes[value.type] : undefined;
  if (!shape) throw refuse(`'${value.type}', which is none of ${Object.keys(shapes).join(', ')}`);
  const fields = new Set(['type', ...(shape.fields ?? [])]);
  for (const field of fields)
    if (!Object.hasOwn(value, field)) throw refuse(`'${value.type}' without its field '${field}'`);
  for (const key of Object.keys(value))
    if (!fields.has(key))
      throw refuse(`'${value.type}' with a field '${key}', which is not declared`);
  const bad = notPlain(value);
  if (bad !== undefined) throw refuse(`'${value.type}' whose '${bad}' is not plain data`);
  return value;
}

export const isMessage = (value: unknown): value is Message =>
  isRecord(value) && typeof value.type === 'string';

/** Whether it is an object, and no list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
