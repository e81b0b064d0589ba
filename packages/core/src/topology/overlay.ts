import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../base/node-id.js';
import { complete, grid, hypercube, ring, star } from './generators.js';
import { escaped } from './literal.js';
import { oneWayLink, roundedDelay, settle } from './measures.js';
import { type Link, link, shown, Topology } from './topology.js';

/**
 * A logical ring over a physical network, in the order given, by default the physical listing
 * order. A logical link's delay is that of the shortest path under it; where the physical links
 * have no delays it is the number of hops.
 *
 * @throws {ConclaveError} `bad-topology`: the physical network is not connected, or `order` does
 * not list each of its nodes once.
 * @example ringOver(abilene()).spec // 'ring-over:abilene'
 */
export function ringOver(
  physical: Topology,
  order?: readonly NodeId[],
  options: { readonly oneWay?: boolean } = {},
): Topology {
  const kind = options.oneWay === false ? 'two-way-ring-over' : 'ring-over';
  const spec = order
    ? `${kind}@${order.map(escaped).join(',')}:${physical.spec}`
    : `${kind}:${physical.spec}`;
  const refuse = (what: string) =>
    new ConclaveError(
      'bad-topology',
      `Topology '${shown(spec)}': the order ${what}`,
      'List each node once.',
    );
  const missing = order && physical.nodes.find((id) => !order.includes(id));
  if (missing !== undefined) throw refuse(`leaves out ${missing}`);
  const unknown = order?.find((id) => !physical.has(id));
  if (unknown !== undefined)
    throw refuse(`names ${unknown}, which '${shown(physical.spec)}' does not have`);
  return over(spec, physical, ring(order ?? physical.nodes, options));
}

/** A logical complete network over a physical one; delays and errors as for a logical ring. */
export function completeOver(physical: Topology): Topology {
  return over(`complete-over:${physical.spec}`, physical, complete(physical.nodes));
}

/**
 * A logical star over a physical network, its centre the first node listed; delays and errors as
 * for a logical ring.
 */
export function starOver(physical: Topology): Topology {
  return over(`star-over:${physical.spec}`, physical, star(physical.nodes));
}

/** The number of rows of the grid of `n` nodes that is closest to a square; 1 if `n` is a prime. */
export function widestRows(n: number): number {
  let rows = Math.floor(Math.sqrt(n));
  while (rows > 1 && n % rows !== 0) rows -= 1;
  return rows;
}

/**
 * A logical grid of at least 2 × 2 over a physical network, as close to a square as its size
 * allows; delays and errors as for a logical ring.
 */
export function gridOver(physical: Topology): Topology {
  const { length } = physical.nodes;
  const rows = widestRows(length);
  if (rows === 1)
    throw noShape(
      'grid-over',
      physical,
      'is not that of a grid of at least 2 × 2',
      'Take a physical network of 4, 6, 8, 9, 10, 12 … nodes.',
    );
  return over(
    `grid-over:${physical.spec}`,
    physical,
    relabelled(grid(rows, length / rows), physical.nodes),
  );
}

/** A logical hypercube over a physical network; delays and errors as for a logical ring. */
export function hypercubeOver(physical: Topology): Topology {
  const dimensions = Math.log2(physical.nodes.length);
  if (dimensions < 1 || !Number.isInteger(dimensions))
    throw noShape(
      'hypercube-over',
      physical,
      'is no power of 2',
      'Take a physical network of 2, 4, 8, 16 … nodes.',
    );
  return over(
    `hypercube-over:${physical.spec}`,
    physical,
    relabelled(hypercube(dimensions), physical.nodes),
  );
}

const noShape = (
  kind: string,
  { spec, nodes }: Topology,
  why: string,
  cure: string,
): ConclaveError =>
  new ConclaveError(
    'bad-topology',
    `Topology '${shown(`${kind}:${spec}`)}': the number of nodes, ${nodes.length}, ${why}`,
    cure,
  );

/** `topology` with other names of its nodes, in the same order. */
function relabelled({ spec, nodes, links }: Topology, names: readonly NodeId[]): Topology {
  const nameOf = new Map(nodes.map((id, index) => [id, names[index] ?? id]));
  return new Topology(
    spec,
    names,
    links.map((each) => ({
      ...each,
      from: nameOf.get(each.from) ?? '',
      to: nameOf.get(each.to) ?? '',
    })),
  );
}

/**
 * The spanning tree of a physical network along the shortest paths from `root`, by default the
 * first node listed. Its links are physical ones and keep their delays.
 *
 * @throws {ConclaveError} `bad-topology`: the physical network is not connected, or a link of it
 * has no way back.
 */
export function treeOver(physical: Topology, root?: NodeId): Topology {
  const spec =
    root === undefined
      ? `tree-over:${physical.spec}`
      : `tree-over@${escaped(root)}:${physical.spec}`;
  const from = root ?? physical.nodes[0] ?? '';
  const oneWay = oneWayLink(physical);
  if (oneWay)
    throw new ConclaveError(
      'bad-topology',
      `Topology '${shown(spec)}' cannot be laid over '${shown(physical.spec)}': ${oneWay}`,
    );
  const links: Link[] = [];
  const reached = new Set<NodeId>();
  for (const [id, { via }] of settle(physical, from)) {
    reached.add(id);
    if (via !== undefined)
      links.push(physicalLink(physical, via, id), physicalLink(physical, id, via));
  }
  for (const id of physical.nodes)
    if (!reached.has(id)) throw disconnected(spec, physical, from, id);
  return new Topology(spec, physical.nodes, links, physical.places);
}

const physicalLink = (physical: Topology, from: NodeId, to: NodeId): Link =>
  link(from, to, physical.link(from, to)?.delay);

function over(spec: string, physical: Topology, logical: Topology): Topology {
  const delays = new Map(
    logical.nodes.map((id) => [id, delaysFrom(spec, physical, id, logical.successors(id))]),
  );
  const links = logical.links.map((each) => ({
    ...each,
    delay: delays.get(each.from)?.get(each.to) ?? 0,
  }));
  return new Topology(spec, logical.nodes, links, physical.places);
}

function delaysFrom(
  spec: string,
  physical: Topology,
  from: NodeId,
  targets: readonly NodeId[],
): Map<NodeId, number> {
  const sought = new Set(targets);
  const delays = new Map<NodeId, number>();
  if (sought.size === 0) return delays;
  for (const [id, { distance }] of settle(physical, from)) {
    if (sought.delete(id)) delays.set(id, roundedDelay(distance));
    if (sought.size === 0) return delays;
  }
  const [unreached = ''] = sought;
  throw disconnected(spec, physical, from, unreached);
}

function disconnected(spec: string, physical: Topology, from: NodeId, to: NodeId): ConclaveError {
  return new ConclaveError(
    'bad-topology',
    `Topology '${shown(spec)}' cannot be laid over '${shown(physical.spec)}': ${to} cannot be reached from ${from}`,
    'Add links until the physical network is connected.',
  );
}
