import type { NodeId } from '../../protocol/node.js';
import type { Topology } from '../../topology/topology.js';

/** Whether a split of `side` from the other nodes cuts the channel `from`→`to`. */
export function crosses(side: readonly NodeId[], { from, to }: { readonly from: NodeId; readonly to: NodeId }): boolean {
  return side.includes(from) !== side.includes(to);
}

/**
 * Every split of a network into two parts that cuts some channel: the part without its first node, in the order of its nodes. With n nodes
 * there are up to 2ⁿ⁻¹ − 1.
 */
export function sidesOf({ nodes, links }: Topology): readonly (readonly NodeId[])[] {
  let sides: readonly (readonly NodeId[])[] = [[]];
  for (const node of nodes.slice(1)) sides = [...sides, ...sides.map((side) => [...side, node])];
  return sides.filter((side) => links.some((link) => crosses(side, link)));
}
