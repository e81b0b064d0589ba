import type { NodeId } from '@conclave/core/protocol';
import { complete, needs, type Topology, topology } from '@conclave/core/topology';

/**
 * All connected graphs of `n` nodes with at most `most` edges, with the delays 1, 2, 3 … at their
 * edges in each order, up to isomorphism: 1, 2, 79 for n = 2, 3, 4 and any number of edges.
 */
export function weightedGraphs(n: number, most = Infinity): readonly Topology[] {
  const ids = complete(n).nodes;
  const pairs = ids.flatMap((a, i) => ids.slice(i + 1).map((b) => [a, b] as const));
  const renamings = permutations(ids).map((order) => (id: NodeId) => order[ids.indexOf(id)] ?? id);
  const specOf = (edges: readonly (readonly [NodeId, NodeId])[]) =>
    `edges:${[...ids, ...edges.map(([a, b], i) => (a < b ? `${a}-${b}:${i + 1}` : `${b}-${a}:${i + 1}`))].join()}`;
  const found = new Map<string, Topology>();
  for (let set = 1; set < 2 ** pairs.length; set++) {
    const edges = pairs.filter((_, i) => (set >> i) & 1);
    if (edges.length > most) continue;
    if (needs.connected.refuses(topology(specOf(edges))) !== undefined) continue;
    for (const order of permutations(edges)) {
      // The first of all renamings represents a graph.
      const [first = ''] = renamings
        .map((renamed) => specOf(order.map(([a, b]) => [renamed(a), renamed(b)] as const)))
        .sort();
      if (!found.has(first)) found.set(first, topology(first));
    }
  }
  return [...found.values()].sort((a, b) => a.links.length - b.links.length);
}

function permutations<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((first, i) =>
    permutations(items.toSpliced(i, 1)).map((rest) => [first, ...rest]),
  );
}
