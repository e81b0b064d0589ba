/**
 * What a node of a wave with feedback notes: C2, and the algorithms that send such waves (Chang
 * 1982; Segall 1983).
 */
import type { NodeId } from '@conclave/core/protocol';

/** How a node takes part in a wave. */
export interface Part {
  /**
   * The neighbour that it was first reached from; null at the initiator, and before the wave comes.
   */
  readonly parent: NodeId | null;
  /** The neighbours that it has not heard from. */
  readonly pending: readonly NodeId[];
}

/** The initiator waits for all neighbours, each other node for all but its parent. */
export const joined = (neighbours: readonly NodeId[], parent: NodeId | null): Part => ({
  parent,
  pending: neighbours.filter((id) => id !== parent),
});

/** The node has heard from `neighbour`: its explorer, or its echo. */
export const crossedOff = (
  { pending }: Pick<Part, 'pending'>,
  neighbour: NodeId,
): Pick<Part, 'pending'> => ({
  pending: pending.filter((id) => id !== neighbour),
});

/** Equal sets of nodes have equal texts. */
export const withNode = (ids: readonly NodeId[], id: NodeId): readonly NodeId[] =>
  [...ids, id].sort();
