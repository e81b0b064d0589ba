/** The networks and budgets of tools/verify/verified-systems.mjs. */
import { complete, hypercube, needs, ring, topology } from '@conclave/core/topology';

export const nodeNames = (n) => complete(n).nodes;
export const isConnected = (graph) => needs.connected.refuses(graph) === undefined;

/**
 * The trees of `n` nodes up to isomorphism, with the token at each position; the first node has it.
 */
export function treesWithToken(n) {
  const names = nodeNames(n);
  const trees = new Map();
  const shape = (parents, node) =>
    `(${parents
      .flatMap((p, i) => (p === node ? [shape(parents, i + 1)] : []))
      .sort()
      .join('')})`;
  const grow = (parents) => {
    if (parents.length < n - 1) for (let p = 0; p <= parents.length; p++) grow([...parents, p]);
    else
      trees.set(
        shape(parents, 0),
        `edges:${parents.map((p, i) => `${names[p]}-${names[i + 1]}`).join(',')}`,
      );
  };
  grow([]);
  return [...trees.values()].map((spec) => topology(spec));
}

/** The trees of `n` nodes up to isomorphism. */
export function shapes(n) {
  const trees = new Map();
  const degrees = (tree) => tree.nodes.map((id) => tree.successors(id).length);
  const ofNode = (tree, id) =>
    tree
      .successors(id)
      .map((next) => tree.successors(next).length)
      .sort()
      .join('');
  for (const tree of treesWithToken(n)) {
    const key = degrees(tree)
      .map((degree, at) => `${degree}:${ofNode(tree, tree.nodes[at])}`)
      .sort()
      .join();
    if (!trees.has(key)) trees.set(key, tree);
  }
  return [...trees.values()];
}

export const allGraphs = (n) => smallGraphs(n, (n * (n - 1)) / 2);

/**
 * The connected graphs of the nodes a, b, c … with at most `most` edges; with `most` = n − 1 these
 * are the trees.
 */
export function smallGraphs(n, most) {
  const ids = nodeNames(n);
  const edges = pairs(ids).map(([one, other]) => `${one}-${other}`);
  const chosen = Array.from({ length: 2 ** edges.length }, (_, bits) =>
    edges.filter((_, edge) => (bits >> edge) & 1),
  );
  return chosen
    .filter(({ length }) => length <= most)
    .map((some) => topology(`edges:${[...ids, ...some].join()}`))
    .filter(isConnected);
}

export const pairs = (ids) =>
  ids.flatMap((one, place) => ids.slice(place + 1).map((other) => [one, other]));

export const permutations = (items) =>
  items.length === 0
    ? [[]]
    : items.flatMap((first, i) =>
        permutations(items.toSpliced(i, 1)).map((rest) => [first, ...rest]),
      );

/** The rings of n nodes in each order of their ids, up to rotation. */
export function rings(n, options) {
  const [first, ...others] = nodeNames(n);
  return permutations(others).map((order) => ring([first, ...order], options));
}

/** The non-empty sets of nodes. */
export const subsets = (ids) =>
  Array.from({ length: 2 ** ids.length - 1 }, (_, bits) =>
    ids.filter((_, index) => ((bits + 1) >> index) & 1),
  );
/** Two-way rings in each order, with each set of nodes that may start. */
export const twoWayRings = (n, protocol) =>
  rings(n, { oneWay: false }).flatMap((ring) =>
    subsets(ring.nodes).map((initiators) => [protocol, ring, { initiators }]),
  );
/** These graphs with the delays 1, 2, 3 … at their edges in each order, up to isomorphism. */
export function weighted(graphs) {
  const ids = graphs[0].nodes;
  const renamings = permutations(ids).map((order) =>
    Object.fromEntries(order.map((id, i) => [ids[i], id])),
  );
  const specOf = (edges, renamed) =>
    `edges:${[...ids, ...edges.map(({ from, to }, i) => `${[renamed[from], renamed[to]].sort().join('-')}:${i + 1}`)].join()}`;
  // represents the graph and all its renamings
  const firstOf = (edges) => renamings.map((renamed) => specOf(edges, renamed)).sort()[0];
  const edgesOf = ({ links }) => links.filter(({ from, to }) => from < to);
  return [...new Set(graphs.flatMap((graph) => permutations(edgesOf(graph)).map(firstOf)))].map(
    (spec) => topology(spec),
  );
}

/** The trees of `n` nodes up to isomorphism, with the largest id at each position. */
export const treesWithLargest = (n) => {
  const names = nodeNames(n);
  const renamed = (spec) =>
    spec.replace(/(?<=[:,-])[a-z]/g, (id) => names[n - 1 - names.indexOf(id)]);
  return treesWithToken(n).map(({ spec }) => topology(renamed(spec)));
};

/**
 * The grids of so many rows and columns with each order of the corners' ids, up to rotation and
 * reflection: a square has three, another grid six. A corner sends its id along its row if its bit
 * of one of `directions` is set, else along its column.
 */
export function grids(rows, columns, directions = [0]) {
  const orders = permutations(['b', 'm9', 'z'])
    .map((others) => ['a', ...others])
    .filter(([, right, below]) => rows !== columns || right < below);
  return orders.flatMap((corners) =>
    directions.map((alongRow) => gridOf(rows, columns, corners, alongRow)),
  );
}

function gridOf(rows, columns, corners, alongRow) {
  const places = [0, columns - 1, (rows - 1) * columns, rows * columns - 1];
  let others = 0;
  const names = Array.from(
    { length: rows * columns },
    (_, index) => corners[places.indexOf(index)] ?? `m${others++}`,
  );
  const links = names.flatMap((from, index) => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    const vertical = [row - 1, row + 1]
      .filter((at) => at >= 0 && at < rows)
      .map((at) => names[at * columns + column]);
    const horizontal = [column - 1, column + 1]
      .filter((at) => at >= 0 && at < columns)
      .map((at) => names[row * columns + at]);
    const turned = places.includes(index) && (alongRow >> places.indexOf(index)) & 1;
    return (turned ? [...horizontal, ...vertical] : [...vertical, ...horizontal]).map(
      (to) => `${from}>${to}`,
    );
  });
  return topology(`edges:${[...names, ...links].join()}`);
}

/**
 * The hypercubes of d dimensions with each order of their ids, up to the choice of the first node.
 */
export function cubes(d) {
  const { nodes, links } = hypercube(d);
  const [first, ...others] = nodes;
  return permutations(others).map((order) => {
    const ids = [first, ...order];
    const nameOf = new Map(nodes.map((id, index) => [id, ids[index]]));
    return topology(
      `edges:${[...ids, ...links.map(({ from, to, port }) => `${nameOf.get(from)}>${nameOf.get(to)}@${port}`)].join()}`,
    );
  });
}

/** Each network with each non-empty set of initiators. */
export const withAnyInitiators = (protocol, networks) =>
  networks.flatMap((network) =>
    subsets(network.nodes).map((initiators) => [protocol, network, { initiators }]),
  );

const ofRuns = ['eventually', 'leadsTo', 'atMost', 'increases', 'everyStep', 'overtaken'];

/**
 * The budget of a search that leaves out orders of independent steps: it judges the properties of
 * states only.
 */
export const reduced = ({ properties }) => ({
  reduce: 'order',
  properties: properties.filter(({ kind }) => !ofRuns.includes(kind)),
});
