import * as v from 'valibot';
import { optionsOf, type Schema } from '../schema/check.js';
import { byKind, byName, measureAbove0, optional, text } from '../schema/values.js';
import type { ExactTime } from './time.js';

const intervalWanted = '[least, most] with 0 ≤ least ≤ most';
const amount = v.pipe(v.number(intervalWanted), v.minValue(0, intervalWanted));

/** Two numbers in order; the second may be Infinity. */
const interval: Schema = v.pipe(
  v.tuple([v.pipe(amount, v.finite(intervalWanted)), amount], intervalWanted),
  v.check(([least, most]) => least <= most, intervalWanted),
);
const intervals = optional(byName(interval, 'an object of intervals [least, most]'));

const driftWanted = 'a number from 0 to below 1, in whole millionths';
/** The drift of clocks. */
export const drift: Schema<number> = v.pipe(
  v.number(driftWanted),
  v.minValue(0, driftWanted),
  v.ltValue(1, driftWanted),
  v.check((given) => Math.abs(given * 1e6 - Math.round(given * 1e6)) < 1e-6, driftWanted),
);

const exact = optionsOf<ExactTime>({
  kind: text,
  delay: interval,
  messages: intervals,
  links: intervals,
  stays: intervals,
  drift: optional(drift),
  tick: optional(measureAbove0('milliseconds')),
});

const wanted = "'untimed', or exact time such as { kind: 'exact', delay: [1, 10] }";

export const timeModel: Schema = v.lazy((given) =>
  typeof given === 'string' ? v.picklist(['untimed'], wanted) : byKind({ exact }, wanted),
);
