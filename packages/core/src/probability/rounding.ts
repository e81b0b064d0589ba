/**
 * Bounds of what is computed in floating point, from numbers that are not negative, by additions,
 * multiplications and divisions: each of these is off by at most one part in 2⁵³ (Higham: Accuracy
 * and Stability of Numerical Algorithms, 2.2), as long as nothing is too small or too large.
 */
const unit = 2 ** -53;
/** Below it, numbers have fewer digits. */
const tiny = 2 ** -1000;

/** At most the true value of what was computed in so many operations. */
export const below = (value: number, operations: number): number =>
  value < tiny || value === Infinity ? 0 : value * (1 - (operations + 4) * unit);

/** At least the true value of what was computed in so many operations; 0 is exact. */
export const above = (value: number, operations: number): number =>
  value === 0 ? 0 : Math.max(value, tiny) * (1 + (operations + 6) * unit);
