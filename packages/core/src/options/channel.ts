import * as v from 'valibot';
import { optionsOf, type Schema } from '../schema/check.js';
import {
  byKind,
  choices,
  count,
  milliseconds,
  oneOf,
  optional,
  positive,
  probability,
  text,
} from '../schema/values.js';
import { clockWithTime } from './shapes.js';

const ms = milliseconds;

/** By kind. */
export const delays = {
  fixed: optionsOf({ kind: text, ms }),
  uniform: v.pipe(
    optionsOf<{ kind: string; least: number; most: number }>({ kind: text, least: ms, most: ms }),
    v.check(({ least, most }) => !(least > most), 'a least delay that is not above the most'),
  ),
  exponential: optionsOf({ kind: text, mean: ms }),
  normal: optionsOf({ kind: text, mean: ms, deviation: ms }),
  link: optionsOf({ kind: text, jitter: optional(v.lazy(() => delay)) }),
};

export const delay: Schema = byKind(delays, "a delay, such as { kind: 'fixed', ms: 5 }");

export const conditionChanges = optionsOf({
  delay: optional(delay),
  order: optional(oneOf(choices.order)),
  loss: optional(probability),
  duplication: optional(probability),
});

const link = {
  incarnation: optional(count),
  retransmitAfter: optional(positive),
  window: optional(positive),
};
export const linkOptions = optionsOf(link);
export const reliableOptions = v.pipe(
  optionsOf<
    Partial<
      Record<
        keyof typeof link | 'leastTimeout' | 'mostTimeout' | 'drainFor' | 'mostUnacknowledged',
        number
      >
    > & { clock?: unknown }
  >({
    ...link,
    clock: optional(clockWithTime),
    leastTimeout: optional(positive),
    mostTimeout: optional(positive),
    drainFor: optional(milliseconds),
    mostUnacknowledged: optional(positive),
  }),
  v.check(
    ({ leastTimeout = 0, mostTimeout = Infinity }) => leastTimeout <= mostTimeout,
    'a leastTimeout that is not above mostTimeout',
  ),
);

const secretWanted = 'a text of at least 16 characters, or at least 16 bytes';
export const authenticatedOptions = optionsOf<{ secret: string | Uint8Array }>({
  secret: v.custom(
    (value) => (typeof value === 'string' || value instanceof Uint8Array) && value.length >= 16,
    secretWanted,
  ),
});
