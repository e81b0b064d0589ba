/**
 * What the options of protocols may be. Factories, the catalogue and the command line check them by
 * the same schemas.
 */
import { checkOptions, schemas } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';

/** One option. The command line offers it by its type and meaning. */
export interface OptionSchema {
  /** `list`: of texts, with commas between them. */
  readonly type: 'boolean' | 'number' | 'string' | 'list';
  readonly meaning: string;
  readonly schema: ReturnType<typeof schemas.optional>;
}

/** One for each key of the interface `Options`. */
export type OptionSchemas<Options> = { readonly [Name in keyof Options]-?: OptionSchema };

type Schemas<Options> = { readonly [Name in keyof Options]-?: Pick<OptionSchema, 'schema'> };

/**
 * The options of the factory `where`.
 *
 * @throws {ConclaveError} `bad-input`: an unknown option, with the nearest known one; a value of
 * another type, or out of range.
 */
export function validOptions<Options extends object>(
  where: string,
  known: Schemas<Options>,
  options: Options,
): Options {
  const entries = Object.entries<Pick<OptionSchema, 'schema'>>(known).map(([name, { schema }]) => [
    name,
    schemas.optional(schema),
  ]);
  checkOptions(where, schemas.optionsOf(Object.fromEntries(entries)), options);
  return options;
}

const longestTimer = 2 ** 31 - 1; // what setTimeout takes

export const flag = (meaning: string): OptionSchema => ({
  type: 'boolean',
  meaning,
  schema: schemas.flag,
});
export const whole = (least: number, meaning: string): OptionSchema => ({
  type: 'number',
  meaning,
  schema: schemas.whole(least),
});
export const time = (
  meaning: string,
  schema: OptionSchema['schema'] = schemas.measureAbove0('milliseconds', longestTimer),
): OptionSchema => ({
  type: 'number',
  meaning: `${meaning}, in ms`,
  schema,
});
export const text = (meaning: string): OptionSchema => ({
  type: 'string',
  meaning,
  schema: schemas.text,
});
export const oneOf = (words: readonly string[], meaning: string): OptionSchema => ({
  type: 'string',
  meaning,
  schema: schemas.oneOf(words),
});
/** A protocol that is a part of another one. */
export const part = (meaning: string): OptionSchema => ({
  type: 'string',
  meaning,
  schema: schemas.protocol,
});

export const cancel = flag('the application may withdraw a request');

/**
 * The least that a timer of real time can keep, in milliseconds. `setTimeout` counts whole
 * milliseconds, fires up to one of them early and some late, and browsers wait 4 ms at least: of
 * shorter times, too little is left to tell one from the next.
 */
export const shortestTimer = 10;

/** `times` of a protocol: these, each at least `least` in real time. */
export const timers = (
  times: Readonly<Record<string, number>>,
  least = shortestTimer,
): NonNullable<Protocol['times']> =>
  Object.fromEntries(Object.entries(times).map(([option, ms]) => [option, { ms, least }]));
