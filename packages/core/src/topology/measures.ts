import type { NodeId } from '../base/node-id.js';
import { type Link, type Place, Topology } from './topology.js';

/** The shortest path to a node: its length, and the node before it. */
interface Path {
  readonly distance: number;
  readonly via?: NodeId;
}

/**
 * What a link adds to a path: its delay in milliseconds; 1 where the network has none, so that a
 * path counts its hops.
 */
const delayOf = (link: Link): number => link.delay ?? 1;

/**
 * The shortest path from `from` to every node it can reach, nearest first (Dijkstra); equal ones in
 * the order they were found. A path is its length, and the node before its end.
 *
 * @example shortestPaths(topology('abilene'), 'seattle').get('chicago')?.distance // milliseconds
 */
export function shortestPaths(
  topology: Topology,
  from: NodeId,
): Map<NodeId, { readonly distance: number; readonly via?: NodeId }> {
  return new Map(settle(topology, from));
}

/** See {@link shortestPaths}: the nodes one by one, so that the caller may stop early. */
export function* settle(
  topology: Topology,
  from: NodeId,
  length = delayOf,
): Generator<[NodeId, Path]> {
  const least = new Map([[from, 0]]);
  // The farthest first; a new entry is inserted before its equals, so that the oldest is taken
  // first from the end.
  const open: [NodeId, Path][] = [[from, { distance: 0 }]];
  for (let nearest = open.pop(); nearest; nearest = open.pop()) {
    const [via, path] = nearest;
    // A shorter path has been found.
    if (path.distance > (least.get(via) ?? 0)) continue;
    yield nearest;
    for (const link of topology.linksFrom(via)) {
      const distance = path.distance + length(link);
      if (distance >= (least.get(link.to) ?? Infinity)) continue;
      least.set(link.to, distance);
      const at = open.findIndex(([, other]) => other.distance <= distance);
      open.splice(at < 0 ? open.length : at, 0, [link.to, { distance, via }]);
    }
  }
}

/** Why `topology` is not connected, as the end of a sentence. */
export function disconnection(topology: Topology): string | undefined {
  const { spec, nodes, links } = topology;
  const [first = ''] = nodes;
  const unreached = (reached: Set<NodeId>) => nodes.find((id) => !reached.has(id));
  const cutOff = unreached(reachable(topology, first));
  if (cutOff !== undefined) return `${cutOff} cannot be reached from ${first}`;
  const mirrored = new Topology(
    spec,
    nodes,
    links.map(({ from, to }) => ({ from: to, to: from })),
  );
  const stuck = unreached(reachable(mirrored, first));
  return stuck === undefined ? undefined : `${first} cannot be reached from ${stuck}`;
}

function reachable(topology: Topology, from: NodeId): Set<NodeId> {
  const reached = new Set([from]);
  // A set is iterated in insertion order, including elements added meanwhile.
  for (const id of reached) for (const next of topology.successors(id)) reached.add(next);
  return reached;
}

/** The first link without a link back, as the end of a sentence. */
export function oneWayLink(topology: Topology): string | undefined {
  const found = topology.links.find(({ from, to }) => !topology.link(to, from));
  return found && `the link ${found.from}→${found.to} has no way back`;
}

const EARTH_RADIUS_KM = 6371;
/** Light in glass fibre travels at about two thirds of its speed in vacuum, 299 792.458 km/s. */
const FIBRE_KM_PER_MS = (299.792458 * 2) / 3;

/**
 * The least delay of a fibre between two places, in milliseconds to three decimals: great-circle
 * distance / (2/3 c).
 */
export function propagationDelay(a: Place, b: Place): number {
  const latitude = radians(b.latitude - a.latitude);
  const longitude = radians(b.longitude - a.longitude);
  const haversine =
    Math.sin(latitude / 2) ** 2 +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(longitude / 2) ** 2;
  return roundedDelay(
    (2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(haversine)))) / FIBRE_KM_PER_MS,
  );
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/**
 * Rounded to the microsecond, which hides the last bits of a sine that platforms may compute
 * differently.
 */
export const roundedDelay = (milliseconds: number): number =>
  Math.round(milliseconds * 1000) / 1000;
