/** For tests of the trees that waves find. */
import type { NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** The parent of each node but the root. */
export type Parents = ReadonlyMap<NodeId, NodeId>;

/** All spanning trees of `topology`, with `root` as their root. */
export function spanningTrees(topology: Topology, root: NodeId): readonly Parents[] {
  const others = topology.nodes.filter((id) => id !== root);
  const choices = others.reduce<readonly Parents[]>(
    (some, id) =>
      some.flatMap((parents) =>
        topology.successors(id).map((parent) => new Map([...parents, [id, parent]])),
      ),
    [new Map()],
  );
  return choices.filter((parents) => others.every((id) => leadsTo(root, parents, id)));
}

function leadsTo(root: NodeId, parents: Parents, id: NodeId): boolean {
  let at = id;
  for (let hops = 0; hops < parents.size; hops++) at = parents.get(at) ?? at;
  return at === root;
}

/** Such as `b→a c→b`. */
export const treeText = (parents: Parents): string =>
  [...parents]
    .map((edge) => edge.join('→'))
    .sort()
    .join(' ');
