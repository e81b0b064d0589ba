/** Networks for tests: random ones by their specs, and all small ones of a kind. */
import type { NodeId } from '@conclave/core/protocol';
import { complete, needs, type Topology, topology } from '@conclave/core/topology';
import { pairs, permutations, smallGraphs, subsets } from '../checks/networks.js';
import type { SmallSystem } from './shared.contract.js';

export const randomGraph = (n: number, p: number, seed: number): Topology =>
  topology(`random:${n}:${p}:${seed}`);

export const randomTree = (n: number, seed: number): Topology =>
  topology(`random-tree:${n}:${seed}`);

export const shuffledRing = (
  n: number,
  seed: number,
  { oneWay }: { readonly oneWay: boolean } = { oneWay: true },
): Topology => topology(`${oneWay ? 'ring' : 'two-way-ring'}:${n}:shuffled:${seed}`);

/** Each network with each non-empty set of initiators. */
export const anyInitiators = (topologies: readonly Topology[]): readonly SmallSystem[] =>
  topologies.flatMap((topology) =>
    subsets(topology.nodes).map((initiators) => ({ topology, budget: { initiators } })),
  );

/** The trees of the nodes a, b, c …: 1, 3, 16 for n = 2, 3, 4. */
export const labelledTrees = (n: number): readonly Topology[] => smallGraphs(n, n - 1);

/**
 * All connected graphs of `n` nodes up to isomorphism, those with fewer edges first: 1, 1, 2, 6, 21
 * for n = 1 … 5. Where the order of the ids matters to a protocol, they are not sufficient:
 * `allGraphs`.
 */
export function connectedGraphs(n: number): Topology[] {
  const ids = complete(n).nodes;
  const edges = pairs(ids);
  const bit = (a = '', b = '') =>
    1 << edges.findIndex((edge) => edge.includes(a) && edge.includes(b));
  // Each permutation of the nodes, as what it makes of each edge.
  const renamings = permutations(ids).map((order) =>
    edges.map(([a, b]) => bit(order[ids.indexOf(a)], order[ids.indexOf(b)])),
  );
  const has = (graph: number, index: number) => ((graph >> index) & 1) === 1;
  const renamed = (graph: number, renaming: readonly number[]) =>
    renaming.reduce((all, to, i) => (has(graph, i) ? all | to : all), 0);

  const graphs: Topology[] = [];
  for (let graph = 0; graph < 1 << edges.length; graph += 1) {
    // The smallest number of all its renamings represents a graph.
    if (renamings.some((renaming) => renamed(graph, renaming) < graph)) continue;
    const chosen = edges.filter((_, i) => has(graph, i)).map((edge) => edge.join('-'));
    const whole = topology(`edges:${[...ids, ...chosen].join()}`);
    if (needs.connected.refuses(whole) !== undefined) continue;
    const short = chosen.length === 0 ? whole : topology(`edges:${chosen.join()}`);
    graphs.push(short.nodes.join() === ids.join() ? short : whole); // the nodes keep their order
  }
  return graphs.sort((a, b) => a.links.length - b.links.length);
}

/**
 * The ids, given from the smallest on, in an order around a ring in which as many as possible are
 * larger than both neighbours, again and again.
 */
export function mostRounds(ids: readonly NodeId[]): readonly NodeId[] {
  if (ids.length < 2) return ids;
  const small = ids.slice(0, Math.ceil(ids.length / 2));
  const between = mostRounds(ids.slice(small.length)).flatMap((large, i) => [
    small[i] ?? '',
    large,
  ]);
  return [...between, ...small.slice(Math.floor(ids.length / 2))];
}

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
