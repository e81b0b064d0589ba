import type { NodeId } from '../../protocol/node.js';
import type { Link, Topology } from '../../topology/topology.js';

/** Whether a split of `side` from the other nodes cuts the channel `from`→`to`. */
export function crosses(
  side: readonly NodeId[],
  { from, to }: { readonly from: NodeId; readonly to: NodeId },
): boolean {
  return side.includes(from) !== side.includes(to);
}

/**
 * Every split of a network into two parts that cuts some channel: the part without its first node,
 * in the order of its nodes. With n nodes there are up to 2ⁿ⁻¹ − 1.
 */
export function sidesOf({ nodes, links }: Topology): readonly (readonly NodeId[])[] {
  let sides: readonly (readonly NodeId[])[] = [[]];
  for (const node of nodes.slice(1)) sides = [...sides, ...sides.map((side) => [...side, node])];
  return sides.filter((side) => links.some((link) => crosses(side, link)));
}

/**
 * The part without the first node of a split that cuts exactly these channels; undefined if none
 * does. Parts that no channel links are put together with the first node.
 */
export function sideOf(
  { nodes, links }: Topology,
  cut: readonly { readonly from: NodeId; readonly to: NodeId }[],
): readonly NodeId[] | undefined {
  const isCut = new Set(cut.map(({ from, to }) => `${from}→${to}`));
  const crossesCut = ({ from, to }: Link) => isCut.has(`${from}→${to}`);
  /** By node: whether it is on the other side than the first one of its part. */
  const apart = new Map<NodeId, boolean>();
  for (const first of nodes) {
    if (apart.has(first)) continue;
    apart.set(first, false);
    const open = [first];
    for (const at of open)
      for (const link of links.filter(({ from, to }) => from === at || to === at)) {
        const other = link.from === at ? link.to : link.from;
        if (apart.has(other)) continue;
        apart.set(other, apart.get(at) !== crossesCut(link));
        open.push(other);
      }
  }
  const side = nodes.filter((node) => apart.get(node));
  const isSplit =
    side.length > 0 && links.every((link) => crosses(side, link) === crossesCut(link));
  return isSplit ? side : undefined;
}
