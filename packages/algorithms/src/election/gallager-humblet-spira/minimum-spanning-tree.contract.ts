import type { NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** What the protocol computes, computed in one place. */
import { alg, Graph } from '@dagrejs/graphlib';

type Ends = readonly [NodeId, NodeId];

/**
 * The edges of `topology`, smallest first: by delay, and where that is equal by the pair of ids.
 */
function inOrder({ links }: Topology): readonly { readonly ends: Ends; readonly delay: number }[] {
  const edges = links.flatMap(({ from, to, delay = 0 }) =>
    from < to ? [{ ends: [from, to] as const, delay }] : [],
  );
  return edges.sort((a, b) => a.delay - b.delay || (a.ends.join(' ') < b.ends.join(' ') ? -1 : 1));
}

/**
 * The tree as graphlib computes it, by Prim's algorithm: nothing of it is shared with the protocol.
 */
export function minimumSpanningTree(topology: Topology): readonly Ends[] {
  const graph = new Graph({ directed: false });
  for (const id of topology.nodes) graph.setNode(id);
  for (const [rank, { ends }] of inOrder(topology).entries()) graph.setEdge(...ends, rank);
  const tree = alg.prim(graph, (edge) => Number(graph.edge(edge)));
  return tree.edges().map(({ v, w }) => (v < w ? [v, w] : [w, v]));
}

interface Fragment {
  readonly nodes: readonly NodeId[];
  readonly level: number;
  readonly core: Ends | undefined;
}

/**
 * The leader: fragments combine one after the other, in any order, and the larger end of the last
 * core leads.
 */
export function leaderOf(topology: Topology): NodeId {
  const edges = inOrder(topology).map(({ ends }) => ends);
  let fragments: readonly Fragment[] = topology.nodes.map((id) => ({
    nodes: [id],
    level: 0,
    core: undefined,
  }));
  const outgoing = ({ nodes }: Fragment) =>
    edges.find(([a, b]) => nodes.includes(a) !== nodes.includes(b));
  while (fragments.length > 1) {
    const combined = fragments.flatMap((one) => {
      const edge = outgoing(one);
      const other = fragments.find(
        ({ nodes }) => nodes !== one.nodes && edge?.some((id) => nodes.includes(id)),
      );
      if (!edge || !other || other.level < one.level) return [];
      const nodes = [...one.nodes, ...other.nodes];
      if (other.level > one.level) return [{ one, other, whole: { ...other, nodes } }];
      return outgoing(other) === edge
        ? [{ one, other, whole: { nodes, level: one.level + 1, core: edge } }]
        : [];
    });
    const [next] = combined;
    if (!next) throw new Error(`no fragments of ${topology.spec} can combine`);
    fragments = [
      ...fragments.filter((fragment) => fragment !== next.one && fragment !== next.other),
      next.whole,
    ];
  }
  const [last] = fragments;
  return last?.core?.toSorted().at(-1) ?? last?.nodes[0] ?? '';
}
