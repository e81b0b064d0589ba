import type { LogicalClock } from './clock.js';

/** The reading of a Lamport clock (CACM 21:7, 1978) after an event of its own node. */
export const ticked = (clock: number): number => clock + 1;

/**
 * Its reading after the receipt of a message with the time stamp `ts`: past that stamp and past its
 * own earlier readings.
 */
export const witnessed = (clock: number, ts: number): number => ticked(Math.max(clock, ts));

/**
 * A Lamport clock: if one event happened before another, its time stamp is smaller.
 *
 * @example lamportClock.witnessed(3, 7, 'a') // 8
 */
export const lamportClock: LogicalClock<number> = {
  initial: 0,
  ticked,
  witnessed,
  isSmaller: (one, other) => one < other,
};
