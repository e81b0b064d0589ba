import { advanced, merged, type VectorClock } from '@conclave/core/trace';
import type { LogicalClock } from './clock.js';

/** Whether each entry of `one` is at most that of `other`. */
const isAtMost = (one: VectorClock, other: VectorClock): boolean => Object.entries(one).every(([id, count]) => count <= (other[id] ?? 0));

/**
 * A vector clock (Fidge 1988, Mattern 1989): one event happened before another if, and only if, its time stamp is smaller.
 *
 * @example vectorClock.witnessed({ a: 3 }, { b: 2 }, 'a') // { a: 4, b: 2 }
 */
export const vectorClock: LogicalClock<VectorClock> = {
  initial: {},
  ticked: advanced,
  witnessed: (clock, ts, self) => merged(advanced(clock, self), ts),
  isSmaller: (one, other) => isAtMost(one, other) && !isAtMost(other, one),
};
