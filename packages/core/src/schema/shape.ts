import * as v from 'valibot';
import type { Schema } from './check.js';

const has = (
  value: unknown,
  shape: Readonly<Record<string, (field: unknown) => boolean>>,
): boolean =>
  typeof value === 'object' &&
  value !== null &&
  // any object has any key, maybe undefined
  Object.entries(shape).every(([key, is]) => is((value as Readonly<Record<string, unknown>>)[key]));

export const isText = (field: unknown) => typeof field === 'string';
export const isObject = (field: unknown) => typeof field === 'object' && field !== null;
export const isFlag = (field: unknown) => typeof field === 'boolean';
export const isFunction = (field: unknown) => typeof field === 'function';

/** What a value should be; the message for a function says to call it. */
export const wanted =
  (one: string, made: string) =>
  ({ input }: { readonly input: unknown }): string =>
    typeof input === 'function'
      ? `${one}: call it, as in ${input.name || 'make'}(…)`
      : `${one}, ${made}`;

/** A value of this shape. */
export const shaped = (shape: Parameters<typeof has>[1], one: string, made: string): Schema =>
  v.custom((value) => has(value, shape), wanted(one, made));
