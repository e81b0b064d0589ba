/** Path lengths in trees, as fractions. */
import { chain, star, tree } from '@conclave/core/topology';

/** The trees of document 002, by the number of nodes. */
export const shapes = [
  { name: 'chain', of: chain },
  { name: 'binary tree', of: (n) => tree(2, n) },
  { name: '4-ary tree', of: (n) => tree(4, n) },
  { name: 'star', of: star },
];

/** How many edges are between `from` and each node. */
function distancesFrom(network, from) {
  const distances = new Map([[from, 0]]);
  // a map is iterated with what is added meanwhile
  for (const [node, distance] of distances)
    for (const next of network.successors(node))
      if (!distances.has(next)) distances.set(next, distance + 1);
  return distances;
}

/** By walks from each node: the longest path, and the mean one over all pairs of different nodes. */
export function pathsByWalks(network) {
  let [sum, longest] = [0, 0];
  for (const node of network.nodes)
    for (const distance of distancesFrom(network, node).values()) {
      sum += distance;
      longest = Math.max(longest, distance);
    }
  const n = network.nodes.length;
  return { longest, mean: fraction(sum, n * (n - 1)) };
}

/** The edges of a tree in heap order or of a chain or star: how many nodes are behind each. */
function behindEdges(network) {
  const [root] = network.nodes;
  const parents = new Map([[root, undefined]]);
  for (const [node] of parents)
    for (const next of network.successors(node)) if (!parents.has(next)) parents.set(next, node);
  const sizes = new Map(network.nodes.map((node) => [node, 1]));
  for (const [node, parent] of [...parents].toReversed())
    if (parent !== undefined) sizes.set(parent, sizes.get(parent) + sizes.get(node));
  return [...parents].flatMap(([node, parent]) =>
    parent === undefined ? [] : [{ ends: [node, parent], behind: sizes.get(node) }],
  );
}

/**
 * The same mean by edges: one with s nodes behind it is on the path of s(n−s) of the n(n−1)/2 pairs.
 */
export function meanByEdges(network) {
  const n = network.nodes.length;
  const sum = behindEdges(network).reduce((total, { behind }) => total + behind * (n - behind), 0);
  return fraction(2 * sum, n * (n - 1));
}

/**
 * What each node sends and receives for an entry of A7 under light load, on average, where each node
 * requests equally often: over an edge with s nodes behind it go a request and the token in 2s(n−s)
 * of n² cases.
 */
export function lightLoads(network) {
  const n = network.nodes.length;
  const loads = new Map(network.nodes.map((node) => [node, 0]));
  for (const { ends, behind } of behindEdges(network))
    for (const node of ends) loads.set(node, loads.get(node) + 4 * behind * (n - behind));
  return new Map([...loads].map(([node, load]) => [node, fraction(load, n * n)]));
}

/** A fraction in lowest terms. */
export function fraction(above, below) {
  const divisor = greatestDivisor(above, below);
  return { above: above / divisor, below: below / divisor };
}

const greatestDivisor = (a, b) => (b === 0 ? a : greatestDivisor(b, a % b));

export const fractionText = ({ above, below }) => (below === 1 ? `${above}` : `${above}/${below}`);
export const decimalOf = ({ above, below }) => above / below;
export const isSame = (a, b) => a.above * b.below === b.above * a.below;

/** Gini's coefficient: 0 where all have the same, near 1 where one has all. */
export function gini(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const sum = sorted.reduce((total, value) => total + value, 0);
  const n = sorted.length;
  const weighted = sorted.reduce((total, value, index) => total + (2 * index + 1 - n) * value, 0);
  return sum === 0 ? 0 : weighted / (n * sum);
}
