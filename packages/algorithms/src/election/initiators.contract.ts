import type { Topology } from '@conclave/core/topology';
import type { SmallSystem } from '../contract/shared.contract.js';

/** Each network with each non-empty set of initiators. */
export const withAnyInitiators = (topologies: readonly Topology[]): readonly SmallSystem[] =>
  topologies.flatMap((topology) =>
    Array.from({ length: 2 ** topology.nodes.length - 1 }, (_, set) => ({
      topology,
      budget: { initiators: topology.nodes.filter((_, index) => ((set + 1) >> index) & 1) },
    })),
  );
