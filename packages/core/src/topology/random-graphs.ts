import { ConclaveError } from '../base/error.js';
import type { Random } from '../base/random.js';
import { edge } from './edge.js';
import { nodeNames } from './names.js';
import { seeded } from './seeded.js';
import { MOST_MESHED, requireMemory, requireWhole } from './size-limits.js';
import { Topology } from './topology.js';

type Pair = readonly [number, number];

/**
 * A tree drawn uniformly from all n^(n−2) labelled trees, by a random Prüfer sequence. Links have
 * both directions.
 */
export function randomTree(n: number, seed: number): Topology {
  const spec = `random-tree:${n}:${seed}`;
  requireWhole(spec, 'the number of nodes', n, 1);
  requireMemory(spec, { nodes: n, links: 2 * n });
  return undirected(spec, n, uniformTree(n, seeded(spec, seed)));
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
  const draw = seeded(spec, seed);
  const inTree = new Set(uniformTree(n, draw).map(([a, b]) => a * n + b));
  const pairs: Pair[] = [];
  for (let a = 0; a < n; a += 1) {
    for (let b = a + 1; b < n; b += 1)
      if (inTree.has(a * n + b) || draw.below(2 ** 32) < p * 2 ** 32) pairs.push([a, b]);
  }
  return undirected(spec, n, pairs);
}

function undirected(spec: string, n: number, pairs: readonly Pair[]): Topology {
  const ids = nodeNames(n);
  return new Topology(
    spec,
    ids,
    pairs.flatMap(([a, b]) => edge(ids[a] ?? '', ids[b] ?? '')),
  );
}

/** The edges in ascending order, the smaller end first. */
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
