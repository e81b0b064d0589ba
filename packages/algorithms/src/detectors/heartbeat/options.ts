import { schemas } from '@conclave/core/internal/options';
import type { Protocol } from '@conclave/core/protocol';
import { type OptionSchemas, shortestTimer, time, timers } from '../../options.js';

export type Options = {
  /**
   * The time between two heartbeats of a node, in milliseconds; in real time at least 10. Default
   * 100.
   */
  readonly period?: number;
  /**
   * After how many milliseconds without a heartbeat a node is suspected; in real time at least 10
   * more than `period`, unless it grows. Default 200.
   */
  readonly timeout?: number;
  /**
   * By how many milliseconds the time-out for a node grows after each false suspicion. Default 0:
   * not at all.
   */
  readonly growth?: number;
  /** The time-out grows up to this many milliseconds. Default ten times `timeout`. */
  readonly longest?: number;
};

export const heartbeatOptions: OptionSchemas<Options> = {
  period: time('the time between two heartbeats'),
  timeout: time('after how long without a heartbeat a node is suspected'),
  growth: time(
    'by how much the time-out grows after a false suspicion',
    schemas.measure('milliseconds'),
  ),
  longest: time('up to what the time-out grows'),
};

/**
 * In real time, a time-out that does not grow is longer than the period: heartbeats come no sooner.
 * `silence` is the name of the time-out.
 */
export const watchTimes = (
  silence: string,
  { period, timeout, growth }: Readonly<Record<'period' | 'timeout' | 'growth', number>>,
): NonNullable<Protocol['times']> => ({
  ...timers({ period }),
  ...timers({ [silence]: timeout }, growth > 0 ? shortestTimer : period + shortestTimer),
});
