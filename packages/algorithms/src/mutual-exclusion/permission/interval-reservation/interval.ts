/**
 * From `from` up to and without `to`, in any unit, such as minutes since midnight; `from` < `to`.
 */
export type Interval = { readonly from: number; readonly to: number };

/** Whether some moment is in both; half-open intervals that only touch do not overlap. */
export const overlap = (one: Interval, other: Interval): boolean =>
  one.from < other.to && other.from < one.to;

/** Whether a value of a context is an interval. */
export const isInterval = (value: unknown): value is Interval =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;
