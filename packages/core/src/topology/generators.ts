import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../base/node-id.js';
import { edge } from './edge.js';
import { type Nodes, nodeNames } from './names.js';
import { seeded, shuffled } from './seeded.js';
import { MOST_MESHED, MOST_NODES, requireMemory, requireWhole } from './size-limits.js';
import { type Link, Topology } from './topology.js';

/** The direction of a ring. */
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
  const { spec, ids } = oneWay ? list('ring', nodes, 2) : list('two-way-ring', nodes, 3);
  return closed(spec, ids, oneWay);
}

/** A ring of `n` nodes in random order. */
export function shuffledRing(
  n: number,
  seed: number,
  { oneWay = true }: { readonly oneWay?: boolean } = {},
): Topology {
  const { spec, ids } = oneWay ? list('ring', n, 2) : list('two-way-ring', n, 3);
  const shuffledSpec = `${spec}:shuffled:${seed}`;
  return closed(shuffledSpec, shuffled(ids, seeded(shuffledSpec, seed)), oneWay);
}

/** Every two nodes are linked in both directions. */
export function complete(nodes: number | readonly NodeId[]): Topology {
  const { spec, ids } = list('complete', nodes, 1, (count) => count * (count - 1), MOST_MESHED);
  const links = ids.flatMap((a, i) => ids.slice(i + 1).flatMap((b) => edge(a, b)));
  return new Topology(spec, ids, links);
}

/** Each node is linked with the one listed after it, in both directions. */
export function chain(nodes: number | readonly NodeId[]): Topology {
  const { spec, ids } = list('chain', nodes, 1);
  return treeOf(spec, ids, (i) => i - 1);
}

/** The first node is the centre, linked with all others in both directions. */
export function star(nodes: number | readonly NodeId[]): Topology {
  const { spec, ids } = list('star', nodes, 1);
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
  return mesh('grid', rows, cols, 1, (at, size) => (at >= 0 && at < size ? at : undefined));
}

/**
 * A grid whose rows and columns are closed to rings, so that each node has all four ports. At least
 * 3 × 3.
 */
export function torus(rows: number, cols: number): Topology {
  return mesh('torus', rows, cols, 3, (at, size) => (at + size) % size);
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
 * The ids, and the spec that lists them; a single id is followed by a comma, which distinguishes it
 * from a number of nodes.
 */
function list(
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
  const count = typeof nodes === 'number' ? nodes : nodes.length;
  const spec = `${kind}:${typeof nodes === 'number' ? nodes : nodes.length === 1 ? `${nodes[0]},` : nodes.join(',')}`;
  requireWhole(spec, 'the number of nodes', count, least, most);
  requireMemory(spec, { nodes: count, links: linksOf(count) });
  return { spec, ids: typeof nodes === 'number' ? nodeNames(nodes) : nodes };
}

function closed(spec: string, ids: readonly NodeId[], oneWay: boolean): Topology {
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

function mesh(
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
