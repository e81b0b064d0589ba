import type { NodeId } from '../../protocol/node.js';
import type { Topology } from '../../topology/topology.js';

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
  const apart = new Map<NodeId, boolean>();
  for (const node of nodes) {
    if (apart.has(node)) continue;
    apart.set(node, false);
    const open = [node];
    for (const at of open)
      for (const { from, to } of links) {
        const other = from === at ? to : to === at ? from : undefined;
        if (other === undefined) continue;
        const side = apart.get(at) !== isCut.has(`${from}→${to}`);
        if (!apart.has(other)) {
          apart.set(other, side);
          open.push(other);
        } else if (apart.get(other) !== side) return undefined;
      }
  }
  const side = nodes.filter((node) => apart.get(node));
  return side.length > 0 &&
    links.every((link) => crosses(side, link) === isCut.has(`${link.from}→${link.to}`))
    ? side
    : undefined;
}
