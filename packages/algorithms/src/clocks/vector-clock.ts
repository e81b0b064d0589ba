import { entriesById, ofNode } from '@conclave/core/internal/protocol';
import { advanced, merged } from '@conclave/core/internal/trace';
import type { VectorClock } from '@conclave/core/trace';
import type { LogicalClock } from './clock.js';

/** Whether each entry of `one` is at most that of `other`. */
const isAtMost = (one: VectorClock, other: VectorClock): boolean =>
  Object.entries(one).every(([id, count]) => count <= (ofNode(other, id) ?? 0));

/** With the nodes in the order of their ids, so that equal clocks have the same text. */
const inOrder = (clock: VectorClock): VectorClock => Object.fromEntries(entriesById(clock));

/**
 * A vector clock (Fidge 1988, Mattern 1989): one event happened before another if, and only if, its
 * time stamp is smaller.
 *
 * @example vectorClock.witnessed({ a: 3 }, { b: 2 }, 'a') // { a: 4, b: 2 }
 */
export const vectorClock: LogicalClock<VectorClock> = {
  initial: {},
  ticked: (clock, self) => inOrder(advanced(clock, self)),
  witnessed: (clock, ts, self) => inOrder(merged(advanced(clock, self), ts)),
  isSmaller: (one, other) => isAtMost(one, other) && !isAtMost(other, one),
};
