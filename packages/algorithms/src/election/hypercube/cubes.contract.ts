/** The small hypercubes on which the election is explored. */
import type { Topology } from '@conclave/core/topology';
import type { SmallSystem } from '../../contract/shared.contract.js';

/** Each of these with each non-empty set of initiators. */
export const anyInitiators = (topologies: readonly Topology[]): readonly SmallSystem[] =>
  topologies.flatMap((topology) =>
    Array.from({ length: 2 ** topology.nodes.length - 1 }, (_, set) => ({
      topology,
      budget: { initiators: topology.nodes.filter((_id, index) => ((set + 1) >> index) & 1) },
    })),
  );
