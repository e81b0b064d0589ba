/**
 * For protocols to which the order of the ids matters, so that graphs up to isomorphism are not
 * sufficient.
 */
import { complete, needs, type Topology, topology } from '@conclave/core/topology';

/** All connected graphs of the nodes a, b, c …: 1, 4, 38 for n = 2, 3, 4. */
export function labelledGraphs(n: number): readonly Topology[] {
  const ids = complete(n).nodes;
  const edges = ids.flatMap((one, place) => ids.slice(place + 1).map((other) => `${one}-${other}`));
  return Array.from({ length: 2 ** edges.length }, (_, graph) =>
    edges.filter((_, edge) => ((graph >> edge) & 1) === 1),
  )
    .map((chosen) => topology(`edges:${[...ids, ...chosen].join()}`))
    .filter((graph) => needs.connected.refuses(graph) === undefined);
}

/** Those of them that are trees: 1, 3, 16. */
export const labelledTrees = (n: number): readonly Topology[] =>
  labelledGraphs(n).filter(({ links }) => links.length === 2 * (n - 1));
