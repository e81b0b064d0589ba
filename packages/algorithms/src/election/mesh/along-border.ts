import type { NodeId } from '@conclave/core/protocol';

/**
 * The two neighbours of a border node along the border, given the neighbours of each of its three
 * neighbours. They are on a line with it, so it is their only common neighbour; each of them is in
 * a square with the third one, so it has two common neighbours with that one.
 */
export function alongBorder(
  neighbours: readonly NodeId[],
  beyond: Readonly<Record<NodeId, readonly NodeId[]>>,
): readonly NodeId[] {
  const common = (one: NodeId, other: NodeId) =>
    (beyond[one] ?? []).filter((id) => beyond[other]?.includes(id)).length;
  return neighbours.filter((one) =>
    neighbours.some((other) => other !== one && common(one, other) === 1),
  );
}
