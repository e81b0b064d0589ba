import { type ExploreOptions, explore } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** What a protocol is found to be on all of some graphs together. */
export function exploreAll(protocol: Protocol, graphs: readonly Topology[], options: ExploreOptions) {
  const found = graphs.map((graph) => explore(protocol, graph, options));
  return {
    complete: found.every(({ complete }) => complete),
    states: found.reduce((sum, { states }) => sum + states, 0),
    /** The networks on which some promise is broken. */
    broken: found.filter(({ properties }) => properties.some(({ verdict }) => verdict === 'violated')).map(({ topology }) => topology),
  };
}
