import type { Json, NodeId } from '@conclave/core/protocol';

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
