import { settle } from './measures.js';
import type { Topology } from './topology.js';

/**
 * The greatest number of hops between two nodes; infinite when some node cannot be reached from
 * another.
 */
export function diameter(topology: Topology): number {
  let greatest = 0;
  for (const id of topology.nodes) {
    const reached = [...settle(topology, id, () => 1)];
    if (reached.length < topology.nodes.length) return Infinity;
    greatest = Math.max(greatest, reached.at(-1)?.[1].distance ?? 0);
  }
  return greatest;
}
