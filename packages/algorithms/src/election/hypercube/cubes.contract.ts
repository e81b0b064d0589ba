/** The small hypercubes on which the election is explored. */
import type { NodeId } from '@conclave/core/protocol';
import { hypercube, type Topology, topology } from '@conclave/core/topology';
import type { SmallSystem } from '../../contract/shared.contract.js';

/** A hypercube with these ids: bit i of a node's index is its coordinate in dimension i. */
export function cubeOf(ids: readonly NodeId[]): Topology {
  const { nodes, links } = hypercube(Math.log2(ids.length));
  const nameOf = new Map(nodes.map((id, index) => [id, ids[index] ?? '']));
  return topology(
    `edges:${[...ids, ...links.map(({ from, to, port }) => `${nameOf.get(from)}>${nameOf.get(to)}@${port}`)].join(',')}`,
  );
}

/**
 * The hypercubes of d dimensions in each order of their ids, up to the choice of the first node:
 * (2^d − 1)! of them.
 */
export function cubes(d: number): readonly Topology[] {
  const [first = '', ...others] = hypercube(d).nodes;
  return permutations(others).map((order) => cubeOf([first, ...order]));
}

/** Each of these with each non-empty set of initiators. */
export const anyInitiators = (topologies: readonly Topology[]): readonly SmallSystem[] =>
  topologies.flatMap((topology) =>
    Array.from({ length: 2 ** topology.nodes.length - 1 }, (_, set) => ({
      topology,
      budget: { initiators: topology.nodes.filter((_id, index) => ((set + 1) >> index) & 1) },
    })),
  );

const permutations = (ids: readonly NodeId[]): readonly (readonly NodeId[])[] =>
  ids.length === 0
    ? [[]]
    : ids.flatMap((id) =>
        permutations(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]),
      );
