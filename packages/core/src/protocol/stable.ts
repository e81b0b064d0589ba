import type { Json } from './node.js';

type Fields = Readonly<Record<string, Json>>;

/** Contexts are checked to be plain data. */
const fieldOf = (value: unknown, field: string): Json | undefined => {
  const [first = '', ...rest] = field.split('.');
  const inner = Object.hasOwn(Object(value), first) ? (value as Fields)[first] : undefined;
  return rest.length === 0 ? inner : fieldOf(inner, rest.join('.'));
};

const withField = (into: Json | undefined, field: string, value: Json): Json => {
  const [first = '', ...rest] = field.split('.');
  // a role with stable fields takes an object as input: see check
  const fields = (into ?? {}) as Fields;
  return {
    ...fields,
    [first]: rest.length === 0 ? value : withField(fields[first], rest.join('.'), value),
  };
};

/** Whether `context` has the field; `part.field` is one of a field's own. */
export const hasField = (context: object, field: string): boolean =>
  fieldOf(context, field) !== undefined;

/**
 * The input of a node that restarts: its first `input`, and the stable fields of its last context.
 */
export const inputAgain = (input: Json, context: object, stable: readonly string[]): Json =>
  stable.reduce(
    (merged, field) => withField(merged, field, fieldOf(context, field) ?? null),
    input,
  );
