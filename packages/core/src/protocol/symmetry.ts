import type { NodeId } from './node.js';

/** New names for nodes; a node that is not listed keeps its own. */
export type Permutation = ReadonlyMap<NodeId, NodeId>;

/**
 * Transpositions that generate all permutations of these nodes.
 *
 * @example interchangeable(['b', 'c', 'd']) // the leaves of star(4)
 */
export function interchangeable(ids: readonly NodeId[]): readonly ReadonlyMap<NodeId, NodeId>[] {
  return ids.slice(1).map((id, index) => {
    const before = ids[index] ?? id;
    return new Map([
      [before, id],
      [id, before],
    ]);
  });
}
