import type { NodeId } from '../protocol/node.js';

/** The last incarnation of each node in this process. */
const last = new Map<NodeId, number>();

/**
 * The incarnation of a start of node `self`: the milliseconds since 1970, and larger than at each
 * earlier start in this process. A clock that was set back gives a smaller one; peers that remember
 * the node then refuse it. Stable storage makes up for that.
 */
export function nextIncarnation(self: NodeId): number {
  const incarnation = Math.max(Date.now(), (last.get(self) ?? 0) + 1);
  last.set(self, incarnation);
  return incarnation;
}
