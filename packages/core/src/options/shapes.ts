/**
 * Recognises protocols, networks and properties by their shape: a program may contain several
 * copies of this package.
 */
import * as v from 'valibot';
import type { Property } from '../protocol/property.js';
import { checkOptions, type Schema } from './check.js';

const has = (
  value: unknown,
  shape: Readonly<Record<string, (field: unknown) => boolean>>,
): boolean =>
  typeof value === 'object' &&
  value !== null &&
  // any object has any key, maybe undefined
  Object.entries(shape).every(([key, is]) => is((value as Readonly<Record<string, unknown>>)[key]));

const isText = (field: unknown) => typeof field === 'string';
const isObject = (field: unknown) => typeof field === 'object' && field !== null;
const isFlag = (field: unknown) => typeof field === 'boolean';
const isFunction = (field: unknown) => typeof field === 'function';

/** A value of this shape; the message for a function says to call it. */
const shaped = (shape: Parameters<typeof has>[1], one: string, made: string): Schema =>
  v.custom(
    (value) => has(value, shape),
    ({ input }) =>
      typeof input === 'function'
        ? `${one}: call it, as in ${input.name || 'make'}(…)`
        : `${one}, ${made}`,
  );

export const protocol = shaped(
  {
    name: isText,
    roles: isObject,
    messages: isObject,
    commands: isObject,
    properties: Array.isArray,
  },
  'a protocol',
  'made by defineProtocol',
);
export const network = shaped(
  { nodes: Array.isArray, links: Array.isArray, has: isFunction },
  'a network',
  "such as topology('ring:3')",
);
export const command = shaped({ type: isText }, 'a command', "such as { type: 'acquire' }");
export const clock = shaped(
  { setTimeout: isFunction, clearTimeout: isFunction },
  'a clock',
  'with setTimeout and clearTimeout',
);
export const clockWithTime = shaped(
  { now: isFunction, setTimeout: isFunction, clearTimeout: isFunction },
  'a clock',
  'with now, setTimeout and clearTimeout',
);
export const signal = shaped(
  { aborted: isFlag, addEventListener: isFunction },
  'an AbortSignal',
  'of an AbortController',
);
export const fields = shaped({}, 'an object', 'whose fields the command carries');
export const logger = shaped(
  { debug: isFunction },
  'a logger',
  'with a method debug, such as console',
);
export const telemetry = shaped(
  { begin: isFunction, withdrawn: isFunction },
  'telemetry',
  'such as openTelemetry()',
);
export const transport = shaped(
  { self: isText, send: isFunction, received$: isObject },
  'a transport',
  'with self, send and received$',
);
export const storage = shaped(
  { read: isFunction, write: isFunction },
  'stable storage',
  'with read and write',
);

export const journal = shaped(
  { append: isFunction, close: isFunction },
  'a journal',
  'with append and close',
);

/**
 * Per kind of property, whether it applies to a plain system, which has no messages and no nodes.
 */
const appliesToPlain: Readonly<Record<Property['kind'], boolean>> = {
  always: true,
  never: true,
  sometimes: true,
  eventually: true,
  almostSurely: true,
  alwaysEventually: false,
  leadsTo: true,
  atMost: false,
  increases: false,
  everyStep: false,
  overtaken: false,
};
// the record has exactly these keys
const kinds = Object.keys(appliesToPlain) as Property['kind'][];
const plainKinds = kinds.filter((kind) => appliesToPlain[kind]);

const propertiesOf = (known: readonly Property['kind'][]): Schema =>
  v.array(
    shaped(
      { kind: (kind) => known.some((one) => one === kind), name: isText },
      'a property',
      `made by ${known.slice(0, -1).join(', ')} or ${known.at(-1)}`,
    ),
    'a list of properties',
  );

export const properties = propertiesOf(kinds);
export const plainProperties = propertiesOf(plainKinds);

export const protocolGiven = v.looseObject({ protocol });
const pair = v.looseObject({ protocol, topology: network });

/**
 * @throws {ConclaveError} `bad-input` where one of them is something else, such as a function that
 * makes it.
 */
export function checkGiven(
  where: string,
  given: { readonly protocol: unknown; readonly topology: unknown },
): void {
  checkOptions(where, pair, given);
}
