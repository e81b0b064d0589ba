/**
 * The longest delay there may be, and the latest moment of a fault, in milliseconds: some 30 years.
 * Sums of a thousand such times are still exact to microseconds.
 */
export const longestTime = 1e12;

/** Whether `ms` is a number of milliseconds from 0 to {@link longestTime}. */
export const isTime = (ms: number): boolean => ms >= 0 && ms <= longestTime;
