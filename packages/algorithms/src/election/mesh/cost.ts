/** What an election in a mesh costs. */
import type { NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { alongBorder } from './mesh.js';

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/**
 * n nodes, m edges and a border of p nodes: 2m messages wake all nodes, and 2m − (n − 1) announce
 * the leader. Its id goes round the border; each other corner sends its id at least once.
 * `candidates` is the most messages that carry ids.
 */
function bounds(n: number, m: number, p: number, candidates: number): Bounds {
  const floods = 4 * m - (n - 1);
  return { least: floods + p + 3, most: floods + candidates };
}

/** Without a network: for all a × b = n. The worst one has two rows. */
export function cost(n: number, topology?: Topology): Bounds {
  if (!topology) return bounds(n, (3 * n) / 2 - 2, n, 3 * n - 2);
  const border = new Map(topology.nodes.flatMap((id) => neighboursAlong(topology, id)));
  const corners = topology.nodes.filter((id) => topology.successors(id).length === 2);
  const candidates = corners.reduce((sum, id) => sum + hopsOf(id, border, new Set(corners)), 0);
  return bounds(n, topology.links.length / 2, border.size, candidates);
}

function neighboursAlong(
  topology: Topology,
  id: NodeId,
): readonly (readonly [NodeId, readonly NodeId[]])[] {
  const neighbours = topology.successors(id);
  if (neighbours.length === 4) return [];
  const beyond = Object.fromEntries(neighbours.map((other) => [other, topology.successors(other)]));
  return [[id, neighbours.length === 2 ? neighbours : alongBorder(neighbours, beyond)]];
}

/**
 * How far the id of this corner goes: to the first corner with a larger one, or round the border.
 */
function hopsOf(
  corner: NodeId,
  border: ReadonlyMap<NodeId, readonly NodeId[]>,
  corners: ReadonlySet<NodeId>,
): number {
  let [from, at = corner, hops] = [corner, border.get(corner)?.[0], 1];
  for (; at !== corner && !(corners.has(at) && at > corner); hops++) {
    const onward = border.get(at)?.find((id) => id !== from) ?? corner;
    [from, at] = [at, onward];
  }
  return hops;
}
