import type { NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { byId } from '../../by-node.js';

/** An undirected edge, the smaller id first. */
export interface Edge {
  readonly ends: readonly [NodeId, NodeId];
  readonly delay: number;
}

const rankedEdges = new WeakMap<Topology, readonly Edge[]>();

/**
 * The edges by delay, then by the pair of ids: all differ, so that there is one minimum spanning
 * tree. A link without a delay has 0.
 */
export function edgesByWeight(topology: Topology): readonly Edge[] {
  const known = rankedEdges.get(topology);
  if (known) return known;
  const edges = topology.links
    .filter(({ from, to }) => from < to)
    .map(
      ({ from, to, delay = 0 }): Edge => ({
        ends: [from, to],
        delay: Math.max(delay, topology.link(to, from)?.delay ?? 0),
      }),
    )
    .sort((a, b) => a.delay - b.delay || byId(a.ends[0], b.ends[0]) || byId(a.ends[1], b.ends[1]));
  rankedEdges.set(topology, edges);
  return edges;
}

const byNode = new WeakMap<Topology, ReadonlyMap<NodeId, Readonly<Record<NodeId, number>>>>();

/** The weights of the edges of `self`: their ranks among all edges, from 1. */
export function weightsOf(topology: Topology, self: NodeId): Readonly<Record<NodeId, number>> {
  let all = byNode.get(topology);
  if (!all) {
    const made = new Map<NodeId, [NodeId, number][]>(topology.nodes.map((id) => [id, []]));
    for (const [index, { ends }] of edgesByWeight(topology).entries())
      for (const [from, to] of [ends, ends.toReversed()])
        made.get(from ?? '')?.push([to ?? '', index + 1]);
    all = new Map([...made].map(([id, weights]) => [id, Object.fromEntries(weights)]));
    byNode.set(topology, all);
  }
  return all.get(self) ?? {};
}
