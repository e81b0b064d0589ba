/** Networks of a size, up to isomorphism or in each order of their ids. */
import type { ExploreOptions, MutationSystem } from '@conclave/check';
import { defaultSystems } from '@conclave/check/internal';
import type { NodeId, Protocol } from '@conclave/core/protocol';
import { complete, hypercube, needs, ring, type Topology, topology } from '@conclave/core/topology';
import type { Mutants, Run } from './checks.js';

type Nodes = readonly NodeId[];
type Links = Topology['links'];

const nodeNames = (n: number): Nodes => complete(n).nodes;
const isConnected = (graph: Topology): boolean => needs.connected.refuses(graph) === undefined;
const range = (length: number): readonly number[] => Array.from({ length }, (_, at) => at);

/** One-way rings whose ids rise, or fall, along them. */
export const rising = (n: number): Topology => ring(nodeNames(n));
export const falling = (n: number): Topology => ring([...nodeNames(n)].reverse());

/**
 * The trees of `n` nodes up to isomorphism, with the token at each position; the first node has it.
 */
export function treesWithToken(n: number): readonly Topology[] {
  const names = nodeNames(n);
  const trees = new Map<string, string>();
  const shape = (parents: readonly number[], node: number): string =>
    `(${parents
      .flatMap((parent, at) => (parent === node ? [shape(parents, at + 1)] : []))
      .sort()
      .join('')})`;
  const grow = (parents: readonly number[]): void => {
    if (parents.length < n - 1)
      for (const parent of range(parents.length + 1)) grow([...parents, parent]);
    else {
      const edges = parents.map((parent, at) => `${names[parent]}-${names[at + 1]}`);
      trees.set(shape(parents, 0), `edges:${edges.join(',')}`);
    }
  };
  grow([]);
  return [...trees.values()].map((spec) => topology(spec));
}

/** The trees of `n` nodes up to isomorphism. */
export function shapes(n: number): readonly Topology[] {
  const trees = new Map<string, Topology>();
  for (const tree of treesWithToken(n)) {
    const degree = (id: NodeId) => tree.successors(id).length;
    const around = (id: NodeId) => tree.successors(id).map(degree).sort().join('');
    const key = tree.nodes.map((id) => `${degree(id)}:${around(id)}`);
    const text = key.sort().join();
    if (!trees.has(text)) trees.set(text, tree);
  }
  return [...trees.values()];
}

export const allGraphs = (n: number): readonly Topology[] => smallGraphs(n, (n * (n - 1)) / 2);

/**
 * The connected graphs of the nodes a, b, c … with at most `most` edges; with `most` = n − 1 these
 * are the trees.
 */
export function smallGraphs(n: number, most: number): readonly Topology[] {
  const ids = nodeNames(n);
  const edges = pairs(ids).map(([one, other]) => `${one}-${other}`);
  return range(2 ** edges.length)
    .map((bits) => edges.filter((_, edge) => (bits >> edge) & 1))
    .filter(({ length }) => length <= most)
    .map((some) => topology(`edges:${[...ids, ...some].join()}`))
    .filter(isConnected);
}

export const pairs = (ids: Nodes): readonly (readonly [NodeId, NodeId])[] =>
  ids.flatMap((one, place) =>
    ids.slice(place + 1).map((other): readonly [NodeId, NodeId] => [one, other]),
  );

export const permutations = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.length === 0
    ? [[]]
    : items.flatMap((first, at) =>
        permutations(items.toSpliced(at, 1)).map((rest) => [first, ...rest]),
      );

/** The rings of n nodes in each order of their ids, up to rotation. */
export function rings(n: number, options?: Parameters<typeof ring>[1]): readonly Topology[] {
  const [first = '', ...others] = nodeNames(n);
  return permutations(others).map((order) => ring([first, ...order], options));
}

/** The non-empty sets of nodes. */
export const subsets = (ids: Nodes): readonly Nodes[] =>
  range(2 ** ids.length - 1).map((bits) => ids.filter((_, at) => ((bits + 1) >> at) & 1));

export const onEach = (
  protocol: Protocol,
  networks: readonly Topology[],
  options: ExploreOptions = {},
): readonly Run[] => networks.map((network): Run => [protocol, network, options]);

/** Each network with each non-empty set of initiators. */
export const withAnyInitiators = (
  protocol: Protocol,
  networks: readonly Topology[],
  options: ExploreOptions = {},
): readonly Run[] =>
  networks.flatMap((network) =>
    subsets(network.nodes).map(
      (initiators): Run => [protocol, network, { ...options, initiators }],
    ),
  );

/** Two-way rings in each order, with each set of nodes that may start. */
export const twoWayRings = (
  n: number,
  protocol: Protocol,
  options?: ExploreOptions,
): readonly Run[] => withAnyInitiators(protocol, rings(n, { oneWay: false }), options);

/** These graphs with the delays 1, 2, 3 … at their edges in each order, up to isomorphism. */
export function weighted(graphs: readonly Topology[]): readonly Topology[] {
  const ids = graphs[0]?.nodes ?? [];
  const renamings = permutations(ids).map(
    (order) => new Map(order.map((id, at) => [id, ids[at] ?? ''])),
  );
  const specOf = (edges: Links, renamed: ReadonlyMap<NodeId, NodeId>) => {
    const texts = edges.map(({ from, to }, at) => {
      const ends = [renamed.get(from), renamed.get(to)].sort();
      return `${ends.join('-')}:${at + 1}`;
    });
    return `edges:${[...ids, ...texts].join()}`;
  };
  // represents the graph and all its renamings
  const firstOf = (edges: Links) => renamings.map((each) => specOf(edges, each)).sort()[0] ?? '';
  const specs = graphs.flatMap(({ links }) =>
    permutations(links.filter(({ from, to }) => from < to)).map(firstOf),
  );
  return [...new Set(specs)].map((spec) => topology(spec));
}

/** The trees of `n` nodes up to isomorphism, with the largest id at each position. */
export function treesWithLargest(n: number): readonly Topology[] {
  const names = nodeNames(n);
  const renamed = (spec: string) =>
    spec.replace(/(?<=[:,-])[a-z]/g, (id) => names[n - 1 - names.indexOf(id)] ?? '');
  return treesWithToken(n).map(({ spec }) => topology(renamed(spec)));
}

/**
 * The grids of so many rows and columns with each order of the corners' ids, up to rotation and
 * reflection: a square has three, another grid six. A corner sends its id along its row if its bit
 * of one of `directions` is set, else along its column.
 */
export function grids(
  rows: number,
  columns: number,
  directions: readonly number[] = [0],
): readonly Topology[] {
  const orders = permutations(['b', 'm9', 'z'])
    .filter(([right = '', below = '']) => rows !== columns || right < below)
    .map((others) => ['a', ...others]);
  return orders.flatMap((corners) =>
    directions.map((alongRow) => gridOf(rows, columns, corners, alongRow)),
  );
}

export function gridOf(rows: number, columns: number, corners: Nodes, alongRow = 0): Topology {
  const places = [0, columns - 1, (rows - 1) * columns, rows * columns - 1];
  let others = 0;
  const names = range(rows * columns).map((at) => corners[places.indexOf(at)] ?? `m${others++}`);
  const links = names.flatMap((from, index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    const vertical = [row - 1, row + 1]
      .filter((at) => at >= 0 && at < rows)
      .map((at) => names[at * columns + column]);
    const horizontal = [column - 1, column + 1]
      .filter((at) => at >= 0 && at < columns)
      .map((at) => names[row * columns + at]);
    const isTurned = places.includes(index) && (alongRow >> places.indexOf(index)) & 1;
    const neighbours = isTurned ? [...horizontal, ...vertical] : [...vertical, ...horizontal];
    return neighbours.map((to) => `${from}>${to}`);
  });
  return topology(`edges:${[...names, ...links].join()}`);
}

/** A hypercube with these ids: bit i of a node's index is its coordinate in dimension i. */
export function cubeOf(ids: Nodes): Topology {
  const { nodes, links } = hypercube(Math.log2(ids.length));
  const nameOf = new Map(nodes.map((id, at) => [id, ids[at]]));
  const edges = links.map(({ from, to, port }) => `${nameOf.get(from)}>${nameOf.get(to)}@${port}`);
  return topology(`edges:${[...ids, ...edges].join()}`);
}

/**
 * The hypercubes of d dimensions in each order of their ids, up to the choice of the first node:
 * (2^d − 1)! of them.
 */
export function cubes(d: number): readonly Topology[] {
  const [first = '', ...others] = hypercube(d).nodes;
  return permutations(others).map((order) => cubeOf([first, ...order]));
}

/**
 * The systems on which the mutants of elections on a one-way ring are explored. All are killed
 * there.
 */
export const ringMutants: Mutants = {
  withoutOptions: {
    // Only `a` starts, so the others must be woken. Four nodes in this order: relays get several
    // larger candidates, and there are two phases.
    systems: (protocol) => [
      ...[ring(2), ring(3)].map((topology) => ({ topology, budget: { initiators: ['a'] } })),
      ...defaultSystems(protocol),
      { topology: ring(['a', 'c', 'b', 'd']), budget: { commands: 1 } },
    ],
  },
};

/** The same systems for two-way rings. */
export const twoWaySystems = (protocol: Protocol): readonly MutationSystem[] => [
  { topology: ring(3, { oneWay: false }), budget: { initiators: ['a'] } },
  ...defaultSystems(protocol),
  { topology: ring(['a', 'c', 'b', 'd'], { oneWay: false }), budget: { commands: 1 } },
];
