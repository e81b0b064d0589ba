import { edge } from './edge.js';
import { writeEdges } from './literal.js';
import { isConnected } from './measures.js';
import { nodeNames } from './names.js';
import { requireWhole } from './size-limits.js';
import { Topology } from './topology.js';

/**
 * All connected graphs of `n` nodes up to isomorphism, those with fewer edges first: 1, 1, 2, 6, 21 for n = 1 … 5.
 *
 * @throws {ConclaveError} `bad-topology` unless n is 1 … 5.
 */
export function connectedGraphs(n: number): Topology[] {
  requireWhole(`connected graphs of ${n} nodes`, 'the number of nodes', n, 1, 5);
  const ids = nodeNames(n);
  const pairs = ids.flatMap((_, a) => ids.slice(a + 1).map((_, rest) => [a, a + 1 + rest] as const));
  const bit = (a: number, b: number) => 1 << pairs.findIndex(([c, d]) => (a === c && b === d) || (a === d && b === c));
  // Each permutation of the nodes, as what it makes of each edge.
  const renamings = permutations(ids.map((_, i) => i)).map((order) => pairs.map(([a, b]) => bit(order[a] ?? 0, order[b] ?? 0)));
  const has = (graph: number, index: number) => ((graph >> index) & 1) === 1;
  const renamed = (graph: number, renaming: readonly number[]) => renaming.reduce((all, to, i) => (has(graph, i) ? all | to : all), 0);

  const graphs: Topology[] = [];
  for (let graph = 0; graph < 1 << pairs.length; graph += 1) {
    // The smallest number of all its renamings represents a graph.
    if (renamings.some((renaming) => renamed(graph, renaming) < graph)) continue;
    const links = pairs.filter((_, i) => has(graph, i)).flatMap(([a, b]) => edge(ids[a] ?? '', ids[b] ?? ''));
    const topology = new Topology(writeEdges({ nodes: ids, links }), ids, links);
    if (isConnected(topology)) graphs.push(topology);
  }
  return graphs.sort((a, b) => a.links.length - b.links.length);
}

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) => permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}
