import type { Topology } from '../topology/topology.js';
import type { NodeId } from './node.js';

/** New names for nodes, one for one; a node that is not listed keeps its own. */
export type Permutation = ReadonlyMap<NodeId, NodeId>;

/**
 * Permutations that generate every exchange of these nodes.
 *
 * @example interchangeable(['b', 'c', 'd']) // the leaves of star(4)
 */
export function interchangeable(ids: readonly NodeId[]): readonly Permutation[] {
  return ids.slice(1).map((id, index) => {
    const before = ids[index] ?? id;
    return new Map([
      [before, id],
      [id, before],
    ]);
  });
}

/** The turn of a ring by one node, which generates all its turns: each node takes the place of the one behind its port `next` or `right`. */
export function rotations(ring: Topology): readonly Permutation[] {
  return [new Map(ring.nodes.map((id) => [id, ring.at(id, 'next') ?? ring.at(id, 'right') ?? id]))];
}
