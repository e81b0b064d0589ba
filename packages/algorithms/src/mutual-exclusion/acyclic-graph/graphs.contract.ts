/** What the tests of A9 share: small networks with the token, which the first node has, at each place. */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import { connectedGraphs, type Topology, topology } from '@conclave/core/topology';

/** All connected graphs of `n` nodes, each once with each of its nodes as the first. */
export const graphsWithToken = (n: number): readonly Topology[] =>
  connectedGraphs(n).flatMap(({ nodes, links }) => {
    const edges = links.filter(({ from, to }) => from < to).map(({ from, to }) => `${from}-${to}`);
    return nodes.map((first) => topology(`edges:${[first, ...nodes.filter((id) => id !== first), ...edges].join(',')}`));
  });

/** What all of these graphs together are found to be. */
export function exploreAll(protocol: Protocol, graphs: readonly Topology[], options: ExploreOptions) {
  const found = graphs.map((graph) => explore(protocol, graph, options));
  return {
    complete: found.every(({ complete }) => complete),
    states: found.reduce((sum, { states }) => sum + states, 0),
    /** The networks on which some promise is broken. */
    broken: found.filter(({ properties }) => properties.some(({ verdict }) => verdict === 'violated')).map(({ topology }) => topology),
  };
}
