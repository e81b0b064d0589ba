/**
 * Networks by name and size, regular and random.
 *
 * Each has a spec, such as `ring:5` or `random:9:0.4:7`, that makes the same network again on any
 * platform: traces and links name it instead of listing nodes. So random networks draw whole numbers
 * only. A size that does not fit into memory is refused before the network is built, with the size
 * that would.
 */
import { ConclaveError } from '../base/error.js';
import { freeHeap, megabytes, mostFitting, type Size } from '../base/memory.js';
import type { NodeId } from '../base/node-id.js';
import { Random } from '../base/random.js';
import { edge, type Link, shown, Topology } from './topology.js';

/**
 * A ring: the next (two-way: right) neighbour of each node is the one listed after it.
 *
 * @throws {ConclaveError} `bad-topology`, as every generator does, for an invalid size.
 * @example ring(8); ring(['c', 'a', 'b']); ring(5, { oneWay: false })
 */
export function ring(
  nodes: number | readonly NodeId[],
  {
    oneWay = true,
  }: {
    /**
     * True (the default): one-way, port `next`. False: two-way, ports `left` and `right`, at least 3
     * nodes.
     */
    readonly oneWay?: boolean;
  } = {},
): Topology {
  const { spec, ids } = oneWay
    ? specAndIds('ring', nodes, 2)
    : specAndIds('two-way-ring', nodes, 3);
  return ringOf(spec, ids, oneWay);
}

/** A ring of `n` nodes in random order. */
export function shuffledRing(
  n: number,
  seed: number,
  { oneWay = true }: { readonly oneWay?: boolean } = {},
): Topology {
  const { spec, ids } = oneWay ? specAndIds('ring', n, 2) : specAndIds('two-way-ring', n, 3);
  const shuffledSpec = `${spec}:shuffled:${seed}`;
  return ringOf(shuffledSpec, shuffled(ids, randomOf(shuffledSpec, seed)), oneWay);
}

/** Every two nodes are linked in both directions. */
export function complete(nodes: number | readonly NodeId[]): Topology {
  const { spec, ids } = specAndIds(
    'complete',
    nodes,
    1,
    (count) => count * (count - 1),
    MOST_MESHED,
  );
  const links = ids.flatMap((a, i) => ids.slice(i + 1).flatMap((b) => edge(a, b)));
  return new Topology(spec, ids, links);
}

/** Each node is linked with the one listed after it, in both directions. */
export function chain(nodes: number | readonly NodeId[]): Topology {
  const { spec, ids } = specAndIds('chain', nodes, 1);
  return treeOf(spec, ids, (i) => i - 1);
}

/** The first node is the centre, linked with all others in both directions. */
export function star(nodes: number | readonly NodeId[]): Topology {
  const { spec, ids } = specAndIds('star', nodes, 1);
  return treeOf(spec, ids, () => 0);
}

/**
 * A tree of `n` nodes in heap order: the first is the root, and each node has up to `k` children;
 * links have both directions.
 */
export function tree(k: number, n: number): Topology {
  const spec = `tree:${k}:${n}`;
  requireWhole(spec, 'the number of children', k, 1);
  requireWhole(spec, 'the number of nodes', n, 1);
  requireMemory(spec, { nodes: n, links: twoEach(n) });
  return treeOf(spec, nodeNames(n), (i) => Math.floor((i - 1) / k));
}

/**
 * Nodes in rows and columns, listed row by row; ports `north`, `east`, `south` and `west` where
 * there is a neighbour.
 */
export function grid(rows: number, cols: number): Topology {
  return gridOf('grid', rows, cols, 1, (at, size) => (at >= 0 && at < size ? at : undefined));
}

/**
 * A grid whose rows and columns are closed to rings, so that each node has all four ports. At least
 * 3 × 3.
 */
export function torus(rows: number, cols: number): Topology {
  return gridOf('torus', rows, cols, 3, (at, size) => (at + size) % size);
}

/**
 * The 2^d corners of a `d`-dimensional cube; port `i` leads to the neighbour in dimension `i`,
 * whose index differs in bit `i`.
 */
export function hypercube(d: number): Topology {
  const spec = `hypercube:${d}`;
  requireWhole(spec, 'the number of dimensions', d, 1, 16);
  requireMemory(spec, { nodes: 2 ** d, links: d * 2 ** d });
  const ids = nodeNames(2 ** d);
  const links: Link[] = [];
  for (const [i, from] of ids.entries()) {
    for (let bit = 0; bit < d; bit += 1)
      links.push({ from, to: ids[i ^ (1 << bit)] ?? '', port: `${bit}` });
  }
  return new Topology(spec, ids, links);
}

const twoEach = (nodes: number): number => 2 * nodes;

/**
 * The ids of the nodes, and the spec of the network: with their number, or with all of them. A single
 * id is followed by a comma there, which distinguishes it from a number of nodes.
 */
function specAndIds(
  kind: string,
  nodes: Nodes,
  least: number,
  linksOf = twoEach,
  most = MOST_NODES,
): { spec: string; ids: readonly NodeId[] } {
  if (typeof nodes !== 'number' && !Array.isArray(nodes))
    throw new ConclaveError(
      'bad-topology',
      `${kind} got ${JSON.stringify(nodes) ?? String(nodes)} for its nodes`,
      `Give their number, as in ${kind}(3), or a list of their ids.`,
    );
  const isCount = typeof nodes === 'number';
  const count = isCount ? nodes : nodes.length;
  const listed = isCount ? nodes : `${nodes.join(',')}${count === 1 ? ',' : ''}`;
  const spec = `${kind}:${listed}`;
  requireWhole(spec, 'the number of nodes', count, least, most);
  requireMemory(spec, { nodes: count, links: linksOf(count) });
  return { spec, ids: isCount ? nodeNames(nodes) : nodes };
}

/** Ids in a circle. */
function ringOf(spec: string, ids: readonly NodeId[], oneWay: boolean): Topology {
  const links: Link[] = [];
  let left = ids.at(-1) ?? '';
  for (const [i, from] of ids.entries()) {
    const right = ids[i + 1] ?? ids[0] ?? '';
    if (oneWay) links.push({ from, to: right, port: 'next' });
    else links.push({ from, to: left, port: 'left' }, { from, to: right, port: 'right' });
    left = from;
  }
  return new Topology(spec, ids, links);
}

function treeOf(spec: string, ids: readonly NodeId[], parent: (index: number) => number): Topology {
  const links = ids.flatMap((id, i) => (i === 0 ? [] : edge(ids[parent(i)] ?? '', id)));
  return new Topology(spec, ids, links);
}

const directions = [
  ['north', -1, 0],
  ['east', 0, 1],
  ['south', 1, 0],
  ['west', 0, -1],
] as const;

/** @param wrap which row or column `at` stands for in `size` of them; undefined: it has none */
function gridOf(
  kind: string,
  rows: number,
  cols: number,
  least: number,
  wrap: (at: number, size: number) => number | undefined,
): Topology {
  const spec = `${kind}:${rows}x${cols}`;
  requireWhole(spec, 'the number of rows', rows, least, Math.floor(MOST_NODES / least));
  requireWhole(spec, 'the number of columns', cols, least, Math.floor(MOST_NODES / rows));
  requireMemory(spec, { nodes: rows * cols, links: 4 * rows * cols });
  const ids = nodeNames(rows * cols);
  const links: Link[] = [];
  for (const [i, from] of ids.entries()) {
    for (const [port, down, right] of directions) {
      const row = wrap(Math.floor(i / cols) + down, rows);
      const col = wrap((i % cols) + right, cols);
      if (row !== undefined && col !== undefined)
        links.push({ from, to: ids[row * cols + col] ?? '', port });
    }
  }
  return new Topology(spec, ids, links);
}

/** The nodes for a generator: their number, or their ids in listing order. */
export type Nodes = number | readonly NodeId[];

/**
 * The names of `n` nodes in ascending order: `a`, `b`, … up to 26 nodes, beyond that `n00`, `n01`,
 * … with as many digits as needed.
 *
 * @throws {ConclaveError} `bad-topology` unless `n` is a whole number ≥ 1.
 */
export function nodeNames(n: number): NodeId[] {
  if (!Number.isInteger(n) || n < 1)
    throw new ConclaveError(
      'bad-topology',
      `There are no ${n} nodes to name`,
      'Give a whole number from 1.',
    );
  const digits = `${n - 1}`.length;
  return Array.from({ length: n }, (_, i) =>
    n <= 26 ? String.fromCharCode(97 + i) : `n${`${i}`.padStart(digits, '0')}`,
  );
}

type Pair = readonly [number, number];

/**
 * A tree drawn uniformly from all n^(n−2) labelled trees, by a random Prüfer sequence. Links have
 * both directions.
 */
export function randomTree(n: number, seed: number): Topology {
  const spec = `random-tree:${n}:${seed}`;
  requireWhole(spec, 'the number of nodes', n, 1);
  requireMemory(spec, { nodes: n, links: 2 * n });
  return graphOf(spec, n, uniformTree(n, randomOf(spec, seed)));
}

/**
 * A connected random graph: a uniform random tree, and each other edge with probability `p`. Links
 * have both directions.
 *
 * @throws {ConclaveError} `bad-topology` for an invalid size or seed, or `p` outside 0 … 1.
 */
export function randomGraph(n: number, p: number, seed: number): Topology {
  const spec = `random:${n}:${p}:${seed}`;
  requireWhole(spec, 'the number of nodes', n, 1, MOST_MESHED);
  if (!(p >= 0 && p <= 1))
    throw new ConclaveError(
      'bad-topology',
      `Topology '${spec}': the probability of an edge must be from 0 to 1, not ${p}`,
    );
  requireMemory(spec, { nodes: n, links: p * n * (n - 1) + 2 * n });
  const draw = randomOf(spec, seed);
  const inTree = new Set(uniformTree(n, draw).map(([a, b]) => a * n + b));
  const pairs: Pair[] = [];
  for (let a = 0; a < n; a += 1) {
    for (let b = a + 1; b < n; b += 1)
      if (inTree.has(a * n + b) || draw.below(2 ** 32) < p * 2 ** 32) pairs.push([a, b]);
  }
  return graphOf(spec, n, pairs);
}

function graphOf(spec: string, n: number, pairs: readonly Pair[]): Topology {
  const ids = nodeNames(n);
  return new Topology(
    spec,
    ids,
    pairs.flatMap(([a, b]) => edge(ids[a] ?? '', ids[b] ?? '')),
  );
}

/**
 * Decodes a random Prüfer sequence, which names each node once less than it has edges: each of its
 * nodes in turn is joined with the smallest leaf, which then leaves. The edges come in ascending
 * order, the smaller end first.
 */
function uniformTree(n: number, draw: Random): Pair[] {
  if (n === 1) return [];
  const sequence = [...Array.from({ length: n - 2 }, () => draw.below(n)), n - 1];
  const degree = new Uint32Array(n).fill(1);
  for (const node of sequence) degree[node] = (degree[node] ?? 0) + 1;
  const pairs: Pair[] = [];
  let swept = degree.indexOf(1);
  let leaf = swept;
  for (const node of sequence) {
    pairs.push(leaf < node ? [leaf, node] : [node, leaf]);
    const left = (degree[node] ?? 0) - 1;
    degree[node] = left;
    // The smallest leaf comes next: the node that has just become a leaf, if the sweep has already
    // passed it.
    if (left === 1 && node < swept) leaf = node;
    else leaf = swept = degree.indexOf(1, swept + 1);
  }
  return pairs.sort(([a, b], [c, d]) => a - c || b - d);
}

/**
 * The random numbers of `seed` (0 … 2³² − 1). Networks draw whole numbers only, so that every
 * platform draws the same network.
 */
function randomOf(spec: string, seed: number): Random {
  requireWhole(spec, 'the seed', seed, 0, 2 ** 32 - 1);
  return new Random(seed);
}

/** `ids` in random order: Fisher–Yates, inside out. */
function shuffled(ids: readonly NodeId[], random: Random): NodeId[] {
  const order: NodeId[] = [];
  for (const id of ids) {
    const at = random.below(order.length + 1);
    const displaced = order[at];
    if (displaced !== undefined) order.push(displaced);
    order[at] = id;
  }
  return order;
}

/**
 * The heap that a network needs, in bytes. Measured on rings and complete networks of up to 200,000
 * nodes, rounded up.
 */
const bytesOf = ({ nodes, links }: Size): number => 300 * nodes + 120 * links;

/**
 * @throws {ConclaveError} `bad-topology` for a network that does not fit into the heap, before it
 * is created; says how many nodes fit.
 */
export function requireMemory(spec: string, size: Size): void {
  const free = freeHeap();
  if (bytesOf(size) <= free) return;
  throw new ConclaveError(
    'bad-topology',
    `Topology '${shown(spec)}': it needs ${megabytes(bytesOf(size))}, and the heap has ${megabytes(Math.max(0, free))}`,
    `About ${mostFitting(size, bytesOf, free)} nodes of this shape would fit; node --max-old-space-size enlarges the heap.`,
  );
}

/** The most nodes of a network; `MOST_MESHED` where every two nodes are linked. */
const MOST_NODES = 1_000_000;
const MOST_MESHED = 2_000;

/**
 * @throws {ConclaveError} `bad-topology`, naming `spec` and `what`, unless `value` is a whole
 * number from `least` to `most`.
 */
function requireWhole(
  spec: string,
  what: string,
  value: number,
  least: number,
  most = MOST_NODES,
): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new ConclaveError(
    'bad-topology',
    `Topology '${shown(spec)}': ${what} must be a whole number from ${least} to ${most}, not ${value}`,
  );
}
