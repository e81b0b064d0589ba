import { type ExploreOptions, explore } from '@conclave/check';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** Explores a protocol on several graphs. */
export function exploreAll(
  protocol: Protocol,
  graphs: readonly Topology[],
  options: ExploreOptions,
) {
  const found = graphs.map((graph) => explore(protocol, graph, options));
  return {
    complete: found.every(({ complete }) => complete),
    states: found.reduce((sum, { states }) => sum + states, 0),
    /** The networks on which some property is violated. */
    broken: found
      .filter(({ properties }) => properties.some(({ verdict }) => verdict === 'violated'))
      .map(({ topology }) => topology),
  };
}
