/** The small trees on which elections are explored completely. */
import type { NodeId } from '@conclave/core/protocol';
import { ring, type Topology, topology } from '@conclave/core/topology';

/** All labelled trees of n ≥ 2 nodes, n^(n−2) of them, by their Prüfer codes. */
export function labelledTrees(n: number): readonly Topology[] {
  const { nodes } = ring(n);
  const codes = (length: number): readonly (readonly NodeId[])[] =>
    length === 0 ? [[]] : codes(length - 1).flatMap((code) => nodes.map((id) => [...code, id]));
  return codes(n - 2).map((code) => topology(`edges:${[...nodes, ...edgesOf(code, nodes)].join()}`));
}

/** In each step the smallest leaf that is not in the rest of the code hangs on the next node of the code. */
function edgesOf([next, ...rest]: readonly NodeId[], nodes: readonly NodeId[]): readonly string[] {
  if (next === undefined) return [nodes.join('-')];
  const leaf = nodes.find((id) => id !== next && !rest.includes(id));
  return [
    `${leaf}-${next}`,
    ...edgesOf(
      rest,
      nodes.filter((id) => id !== leaf),
    ),
  ];
}
