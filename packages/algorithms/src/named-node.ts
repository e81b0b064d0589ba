/**
 * The networks of protocols with an option that names a node, such as the one that has the token at
 * first.
 */
import type { NodeId, Protocol } from '@conclave/core/protocol';
import { chain, complete, ring, type Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';

type Need = Protocol['topology'];

/** The name of the option, and the node; undefined: the option is not given. */
type Naming = (option: string, node: NodeId | undefined) => Need;

/** A complete network, with the named node. */
export const completeWith: Naming = (...named) => withNode(needs.complete, complete, ...named);

/** The same for a one-way ring. */
export const ringWith: Naming = (...named) =>
  withNode(needs.oneWayRing, (ids) => ring(ids), ...named);

/** The same for a connected network. */
export const connectedWith: Naming = (...named) => withNode(needs.connected, chain, ...named);

/** The same for a tree. */
export const treeWith: Naming = (...named) => withNode(needs.tree, chain, ...named);

function withNode(
  need: Need,
  of: (ids: readonly NodeId[]) => Topology,
  option: string,
  node: NodeId | undefined,
): Need {
  if (node === undefined) return need;
  return {
    ...need,
    named: { option, node },
    refuses: (topology) =>
      need.refuses(topology) ??
      (topology.has(node) ? undefined : `there is no node '${node}', which ${option} names`),
    example: (n) => of([node, ...need.example(n).nodes.filter((id) => id !== node)].slice(0, n)),
  };
}
