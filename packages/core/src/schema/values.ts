/**
 * The schemas of single options, for every function and for the command line. Each message ends the
 * sentences `Give …` and `It is …`.
 */
import * as v from 'valibot';
import { longestTime } from '../base/moment.js';
import type { Schema } from './check.js';

/** A whole number, `least` or more. */
export const whole = (least: number, wanted = `a whole number, ${least} or more`): Schema<number> =>
  v.pipe(v.number(wanted), v.safeInteger(wanted), v.minValue(least, wanted));

/** A number of times, a number of steps. */
export const count = whole(0);
export const positive = whole(1);
export const seed = whole(-Infinity, 'a whole number');

const probabilityWanted = 'a number from 0 to 1';
export const probability: Schema<number> = v.pipe(
  v.number(probabilityWanted),
  v.minValue(0, probabilityWanted),
  v.maxValue(1, probabilityWanted),
);

/** An amount of something measured, such as `milliseconds`. */
export function measure(unit: string): Schema<number> {
  const wanted = `a number of ${unit}, 0 or more`;
  return v.pipe(v.number(wanted), v.finite(wanted), v.minValue(0, wanted));
}

/** The same, above 0. */
export function measureAbove0(unit: string, most = Number.MAX_VALUE): Schema<number> {
  const wanted = `a number of ${unit} above 0${most === Number.MAX_VALUE ? '' : `, up to ${most}`}`;
  return v.pipe(v.number(wanted), v.gtValue(0, wanted), v.maxValue(most, wanted));
}

/** An amount that is measured, up to `most`. */
export function upTo(most: number, unit: string): Schema<number> {
  const wanted = `a number of ${unit} from 0 to ${most}`;
  return v.pipe(v.number(wanted), v.minValue(0, wanted), v.maxValue(most, wanted));
}

/** A time in milliseconds. */
export const milliseconds = upTo(longestTime, 'milliseconds');

/** A bound; Infinity is none. With a `unit` it need not be a whole number. */
export function bound(unit?: string): Schema<number> {
  const wanted = `${unit === undefined ? 'a whole number' : `a number of ${unit}`}, 0 or more, or Infinity`;
  const isFine = (value: number) =>
    unit !== undefined || value === Infinity || Number.isSafeInteger(value);
  return v.pipe(v.number(wanted), v.minValue(0, wanted), v.check(isFine, wanted));
}

/** One of these words. */
export const oneOf = <const T extends string>(words: readonly T[]): Schema<T> =>
  v.picklist(words, `one of ${words.map((word) => `'${word}'`).join(', ')}`);

export const flag: Schema<boolean> = v.boolean('true or false');
export const callback: Schema = v.function('a function');
export const text: Schema<string> = v.string(({ input }) =>
  typeof input === 'number' ? `a text, in quotes: "${input}"` : 'a text',
);

export const listOf = (item: Schema, wanted: string): Schema => v.array(item, wanted);
export const texts = listOf(text, 'a list of texts');
export const nodeIds = listOf(text, 'a list of node ids');

/** No list, and no Map. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Object.prototype.toString.call(value) === '[object Object]';

/** A record, by texts. */
export const byName = (item: Schema, wanted: string): Schema =>
  v.pipe(v.custom(isRecord, wanted), v.record(v.string(), item, wanted));

/** May be left out. */
export const optional = (schema: Schema): Schema => v.optional(schema);

/** An object that is checked by the schema of its `kind`; `wanted` describes it. */
export const byKind = (
  schemas: Readonly<Record<string, Schema>>,
  wanted: string | ((issue: { readonly input: unknown }) => string),
): Schema => {
  const schemaOf = (kind: unknown) =>
    typeof kind === 'string' && Object.hasOwn(schemas, kind) ? schemas[kind] : undefined;
  const known = v.custom(
    (kind) => schemaOf(kind) !== undefined,
    `one of ${Object.keys(schemas).join(', ')}`,
  );
  const any = v.looseObject({ kind: known }, wanted);
  return v.lazy(
    (given) =>
      schemaOf(
        typeof given === 'object' && given !== null && 'kind' in given ? given.kind : undefined,
      ) ?? any,
  );
};

/** The words that options accept, in the API and on the command line. */
export const choices = {
  order: ['fifo', 'any'],
  host: ['compiled', 'actors'],
  confirm: ['sample', 'all'],
  time: ['untimed', 'exact'],
  fairness: ['none', 'weak', 'strong'],
  search: ['breadth', 'depth'],
  paths: ['shortest', 'simple'],
  unexpected: ['refuse', 'discard'],
  graph: ['drn', 'prism'],
} as const;

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
