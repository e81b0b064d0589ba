/** How long a lease counts for the one that has it, and how short it may be: A19 and A21. */

/**
 * Who gives a lease keeps it for at least lease · (1 − drift). Who has it counts it for at most
 * validity · (1 + drift), from an earlier moment on. So validity is the largest multiple of
 * `renewal` that is less than lease · (1 − drift) / (1 + drift).
 */
export const validityOf = (lease: number, drift: number, renewal: number): number =>
  (Math.ceil((lease * (1 - drift)) / (1 + drift) / renewal) - 1) * renewal;

/**
 * In real time a timer may end 1 ms early, which must be within the drift. No clock is better than
 * the least drift that there is.
 */
export const shortestLease = (drift: number): number => 1 / Math.max(drift, 1e-6);
