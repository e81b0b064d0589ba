/**
 * Recognises protocols, networks and what else options take by their shape: a program may contain several
 * copies of this package.
 */
import * as v from 'valibot';
import { isFlag, isFunction, isObject, isText, shaped } from '../schema/values.js';

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
export const trace = shaped(
  { header: isObject, lines: Array.isArray },
  'a trace',
  'such as parseTrace(text)',
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

export const protocolGiven = v.looseObject({ protocol });
