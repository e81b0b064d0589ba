/**
 * The stable fields of a node's context: a node that restarts begins with its first input, in which
 * they have their last values. A field may lie in another one, as `part.field`: so the parts of a
 * composed machine keep theirs.
 */
import type { Json } from './node.js';

type Fields = Readonly<Record<string, Json>>;

/** The value of a field; undefined where there is none. */
export const fieldOf = (value: unknown, field: string): Json | undefined => {
  if (field.includes('.')) {
    const [first = '', ...rest] = field.split('.');
    return fieldOf(fieldOf(value, first), rest.join('.'));
  }
  return Object.hasOwn(Object(value), field) ? (value as Fields)[field] : undefined; // checked to be plain data
};

/** `into` with this value of the field. */
const withField = (into: Json | undefined, field: string, value: Json): Json => {
  // a role with stable fields takes an object as input: see check
  const fields = (into ?? {}) as Fields;
  if (!field.includes('.')) return { ...fields, [field]: value };
  const [first = '', ...rest] = field.split('.');
  return { ...fields, [first]: withField(fields[first], rest.join('.'), value) };
};

/** Whether `context` has the field. */
export const hasField = (context: object, field: string): boolean =>
  fieldOf(context, field) !== undefined;

/**
 * The input of a node that restarts: its first `input`, and the stable fields of its last context.
 */
export function inputAgain(input: Json, context: object, stable: readonly string[]): Json {
  if (stable.length === 0) return input;
  // a role with stable fields takes an object as input: see check
  const merged: Record<string, Json> = { ...(input as Fields) };
  for (const field of stable) {
    const value = fieldOf(context, field) ?? null;
    if (!field.includes('.')) merged[field] = value;
    else Object.assign(merged, withField(merged, field, value));
  }
  return merged;
}
