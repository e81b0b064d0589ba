import { ofNode } from '../protocol/by-node.js';
import type { NodeId } from '../protocol/node.js';

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
