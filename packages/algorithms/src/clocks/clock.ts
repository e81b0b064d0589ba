import type { Json, NodeId } from '@conclave/core/protocol';
import { entriesById, ofNode } from '../by-node.js';

/**
 * A logical clock of one node, as pure functions on plain data. Its reading after an event is the
 * time stamp of the event.
 */
export interface LogicalClock<T extends Json> {
  /** The reading before the first event. */
  readonly initial: T;
  /** The reading after an event of the node `self` itself, such as sending a message. */
  readonly ticked: (clock: T, self: NodeId) => T;
  /**
   * The reading after the receipt of a message by `self`, where `ts` is the time stamp of the event
   * that sent it.
   */
  readonly witnessed: (clock: T, ts: T, self: NodeId) => T;
  /** Whether the time stamp `one` is smaller than `other`. */
  readonly isSmaller: (one: T, other: T) => boolean;
}

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

/**
 * How many events of each node happened before an event, or are the event; a node without an entry
 * has none (Fidge 1988, Mattern 1989).
 */
export type VectorClock = Readonly<Record<NodeId, number>>;

/** `clock` after one more event of node `self`. */
export const advanced = (clock: VectorClock, self: NodeId): VectorClock => ({
  ...clock,
  [self]: (ofNode(clock, self) ?? 0) + 1,
});

/** The larger entry of both for each node: what happened before one or the other. */
export const merged = (one: VectorClock, other: VectorClock): VectorClock => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([id, count]) => [id, Math.max(ofNode(one, id) ?? 0, count)]),
  ),
});

/** Whether each entry of `one` is at most that of `other`. */
const isAtMost = (one: VectorClock, other: VectorClock): boolean =>
  Object.entries(one).every(([id, count]) => count <= (ofNode(other, id) ?? 0));

/** With the nodes in the order of their ids, so that equal clocks have the same text. */
export const inOrder = (clock: VectorClock): VectorClock => Object.fromEntries(entriesById(clock));

/**
 * A vector clock (Fidge 1988, Mattern 1989): one event happened before another if, and only if, its
 * time stamp is smaller.
 *
 * @example vectorClock.witnessed({ a: 3 }, { b: 2 }, 'a') // { a: 4, b: 2 }
 */
export const vectorClock: LogicalClock<Readonly<Record<NodeId, number>>> = {
  initial: {},
  ticked: (clock, self) => inOrder(advanced(clock, self)),
  witnessed: (clock, ts, self) => inOrder(merged(advanced(clock, self), ts)),
  isSmaller: (one, other) => isAtMost(one, other) && !isAtMost(other, one),
};
