/** The small rings on which elections are explored completely. */
import type { NodeId } from '@conclave/core/protocol';
import { ring, type Topology } from '@conclave/core/topology';
import type { SmallSystem } from '../contract/shared.contract.js';

/** The one-way rings of n nodes in each order of their ids, up to rotation: (n − 1)! of them. */
export function rings(n: number): readonly Topology[] {
  const [first = '', ...others] = ring(n).nodes;
  return permutations(others).map((order) => ring([first, ...order]));
}

/** Each of these rings with each non-empty set of initiators. */
export const anyInitiators = (n: number): readonly SmallSystem[] =>
  rings(n).flatMap((topology) => subsets(topology.nodes).map((initiators) => ({ topology, budget: { initiators } })));

const permutations = (ids: readonly NodeId[]): readonly (readonly NodeId[])[] =>
  ids.length === 0 ? [[]] : ids.flatMap((id) => permutations(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]));

/** The non-empty sets. */
const subsets = (ids: readonly NodeId[]): readonly (readonly NodeId[])[] =>
  Array.from({ length: 2 ** ids.length - 1 }, (_, set) => ids.filter((_, index) => ((set + 1) >> index) & 1));
