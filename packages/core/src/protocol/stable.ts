import type { Json } from './node.js';

type Fields = Readonly<Record<string, Json>>;

/** Contexts are checked to be plain data. */
export const fieldOf = (value: unknown, field: string): Json | undefined => {
  if (field.includes('.')) {
    const [first = '', ...rest] = field.split('.');
    return fieldOf(fieldOf(value, first), rest.join('.'));
  }
  return Object.hasOwn(Object(value), field) ? (value as Fields)[field] : undefined;
};

const withField = (into: Json | undefined, field: string, value: Json): Json => {
  // a role with stable fields takes an object as input: see check
  const fields = (into ?? {}) as Fields;
  if (!field.includes('.')) return { ...fields, [field]: value };
  const [first = '', ...rest] = field.split('.');
  return { ...fields, [first]: withField(fields[first], rest.join('.'), value) };
};

/** Whether `context` has the field; `part.field` is one of a field's own. */
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
