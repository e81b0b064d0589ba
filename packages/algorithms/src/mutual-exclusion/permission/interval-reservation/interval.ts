/** From `from` up to, and not with, `to`, in any unit: minutes since midnight, say. `to` is after `from`. */
export type Interval = { readonly from: number; readonly to: number };

/** Whether two intervals cannot be held at once. It must be symmetric: each of two nodes asks it from its own side. */
export type ConflictRelation = (one: Interval, other: Interval) => boolean;

/** Whether some moment is in both: half-open intervals that only touch do not overlap. */
export const overlap: ConflictRelation = (one, other) => one.from < other.to && other.from < one.to;

/** Whether a value of a context is an interval. */
export const isInterval = (value: unknown): value is Interval =>
  typeof value === 'object' && value !== null && 'from' in value && 'to' in value;
