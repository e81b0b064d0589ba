/**
 * From `from` up to and without `to`, in any unit, such as minutes since midnight; `from` < `to`.
 */
export type Interval = { readonly from: number; readonly to: number };

/**
 * Whether two intervals must not be held at once. It must be symmetric: two nodes evaluate it with
 * their own interval first.
 */
export type ConflictRelation = (one: Interval, other: Interval) => boolean;

/** Whether some moment is in both; half-open intervals that only touch do not overlap. */
export const overlap: ConflictRelation = (one, other) => one.from < other.to && other.from < one.to;

/** Whether a value of a context is an interval. */
export const isInterval = (value: unknown): value is Interval =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;
