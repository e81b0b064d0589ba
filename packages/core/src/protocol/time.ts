import * as v from 'valibot';
import { optionsOf, type Schema } from '../schema/check.js';
import { byKind, byName, measureAbove0, optional, text } from '../schema/values.js';

/**
 * Exact time: every run in which messages take as long as stated here, timers fire exactly at their
 * time, and steps of nodes take no time. Commands, crashes, restarts and splits come at any moment.
 * Clocks do not drift, unless `drift` says how much.
 *
 * All numbers are in units. Only whole multiples of the {@link tick} are explored. For closed
 * intervals this loses nothing: the same discrete states are reachable in dense time (Henzinger,
 * Manna, Pnueli: What Good Are Digital Clocks? ICALP 1992).
 */
export interface ExactTime {
  readonly kind: 'exact';
  /**
   * How long a message takes, in milliseconds: from `least` to `most`, both included, as all
   * intervals.
   */
  readonly delay: readonly [least: number, most: number];
  /** By type of message: how long it takes instead. */
  readonly messages?: Readonly<Record<string, ExactTime['delay']>>;
  /**
   * By link, such as `a→b`: how long a message takes there instead, unless `messages` has its type.
   */
  readonly links?: Readonly<Record<string, ExactTime['delay']>>;
  /**
   * By tag: how long a node stays in states with this tag. After the longest stay time does not
   * pass before the node has left. Before the shortest one it gets no command that ends the stay;
   * messages and timers may end it. `Infinity`: as long as it likes.
   *
   * @example stays: { critical: [0, 5] }
   */
  readonly stays?: Readonly<Record<string, ExactTime['delay']>>;
  /**
   * How much the clocks of nodes drift: from 0 to below 1, in whole millionths. A millisecond of a
   * node's clock takes 1 − drift to 1 + drift milliseconds, so a timer of `d` fires at any moment
   * from `d · (1 − drift)` to `d · (1 + drift)` after it was armed. Each timer drifts on its own,
   * also those of one node. Messages and stays do not drift. Default 0.
   *
   * A clock that counts at a rate between 1 − r and 1 + r has at most the drift r / (1 − r).
   *
   * @example drift: 0.01 // a timer of 1000 ms fires after 990 to 1010 ms
   */
  readonly drift?: number;
  /**
   * The step of time in milliseconds; default: the greatest common divisor of all times. A smaller
   * divisor gives the same verdicts, slower.
   */
  readonly tick?: number;
}

/**
 * When messages arrive and timers fire. `untimed`: at any moment, which covers every real run, and
 * many that no clock allows. Exact: within bounds.
 */
export type TimeModel = 'untimed' | ExactTime;

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
