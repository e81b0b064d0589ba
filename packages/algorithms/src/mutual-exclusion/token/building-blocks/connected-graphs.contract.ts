import { complete, needs, type Topology, topology } from '@conclave/core/topology';

/**
 * All connected graphs of `n` nodes up to isomorphism, those with fewer edges first: 1, 1, 2, 6, 21
 * for n = 1 … 5.
 */
export function connectedGraphs(n: number): Topology[] {
  const ids = complete(n).nodes;
  const pairs = ids.flatMap((_, a) =>
    ids.slice(a + 1).map((_, rest) => [a, a + 1 + rest] as const),
  );
  const bit = (a: number, b: number) =>
    1 << pairs.findIndex(([c, d]) => (a === c && b === d) || (a === d && b === c));
  // Each permutation of the nodes, as what it makes of each edge.
  const renamings = permutations(ids.map((_, i) => i)).map((order) =>
    pairs.map(([a, b]) => bit(order[a] ?? 0, order[b] ?? 0)),
  );
  const has = (graph: number, index: number) => ((graph >> index) & 1) === 1;
  const renamed = (graph: number, renaming: readonly number[]) =>
    renaming.reduce((all, to, i) => (has(graph, i) ? all | to : all), 0);

  const graphs: Topology[] = [];
  for (let graph = 0; graph < 1 << pairs.length; graph += 1) {
    // The smallest number of all its renamings represents a graph.
    if (renamings.some((renaming) => renamed(graph, renaming) < graph)) continue;
    const edges = pairs.filter((_, i) => has(graph, i)).map(([a, b]) => `${ids[a]}-${ids[b]}`);
    const whole = topology(`edges:${[...ids, ...edges].join()}`);
    if (needs.connected.refuses(whole) !== undefined) continue;
    const short = edges.length === 0 ? whole : topology(`edges:${edges.join()}`);
    graphs.push(short.nodes.join() === ids.join() ? short : whole); // the nodes keep their order
  }
  return graphs.sort((a, b) => a.links.length - b.links.length);
}

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) =>
    permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}

// For protocols to which the order of the ids matters, so that graphs up to isomorphism are not
// sufficient.

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
