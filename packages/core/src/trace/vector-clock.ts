import type { NodeId } from '../protocol/node.js';

/** How many events of each node happened before an event, or are the event; a node without an entry has none (Fidge 1988, Mattern 1989). */
export type VectorClock = Readonly<Record<NodeId, number>>;

/** `clock` after one more event of node `self`. */
export const advanced = (clock: VectorClock, self: NodeId): VectorClock => ({ ...clock, [self]: (clock[self] ?? 0) + 1 });

/** The larger entry of both for each node: what happened before one or the other. */
export function merged(one: VectorClock, other: VectorClock): VectorClock {
  const both: Record<NodeId, number> = { ...one };
  for (const [id, count] of Object.entries(other)) both[id] = Math.max(both[id] ?? 0, count);
  return both;
}
