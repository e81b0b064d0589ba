/**
 * Recognises grids and hypercubes by their links, whatever their nodes are called and in whichever
 * order they are listed.
 */
import type { NodeId } from '../base/node-id.js';
import { disconnection, oneWayLink, settle } from './measures.js';
import type { Topology } from './topology.js';

/** Why `topology` is not a grid of at least 2 × 2, as the end of a sentence. Ports do not count. */
export function notGrid(topology: Topology): string | undefined {
  const { nodes } = topology;
  const why = oneWayLink(topology) ?? disconnection(topology);
  if (why) return why;
  const misfit = nodes.find(
    (id) => topology.successors(id).length < 2 || topology.successors(id).length > 4,
  );
  if (misfit !== undefined)
    return `${misfit} has ${links(topology, misfit)} where a node of a grid has 2, 3 or 4`;
  const corners = nodes.filter((id) => topology.successors(id).length === 2);
  const [first = ''] = corners;
  if (corners.length !== 4)
    return `${corners.length} nodes have 2 links where a grid has 4 corners`;
  return notOnLattice(topology, coordinates(topology, first, corners));
}

type Cell = readonly [row: number, column: number];

/**
 * The row and column of each node if `topology` is a grid and `origin` one of its corners. The
 * nearest other corner ends the row of `origin`: with `width` links between them, a node in row r
 * and column c is r + c links away from `origin`, and r + width − c from the other.
 */
function coordinates(
  topology: Topology,
  origin: NodeId,
  corners: readonly NodeId[],
): ReadonlyMap<NodeId, Cell> {
  const fromOrigin = hops(topology, origin);
  const far = (id: NodeId) => fromOrigin.get(id) ?? 0;
  const [end = ''] = corners
    .filter((id) => id !== origin)
    .sort((one, other) => far(one) - far(other));
  const fromEnd = hops(topology, end);
  const width = far(end);
  return new Map(
    topology.nodes.map((id) => {
      const [near, other] = [far(id), fromEnd.get(id) ?? 0];
      return [id, [(near + other - width) / 2, (near - other + width) / 2]];
    }),
  );
}

/**
 * Where each cell is taken once, each link joins neighbours: the distances of its ends from each
 * corner differ by at most one.
 */
function notOnLattice(topology: Topology, cells: ReadonlyMap<NodeId, Cell>): string | undefined {
  const taken = new Map<string, NodeId>();
  for (const [id, cell] of cells) {
    const [row, column] = cell;
    const other = taken.get(`${cell}`);
    if (!Number.isInteger(row) || !Number.isInteger(column))
      return `${id} is on a cycle of odd length, and a grid has none`;
    if (other !== undefined) return `${other} and ${id} are at the same distances from two corners`;
    taken.set(`${cell}`, id);
  }
  const [rows, columns] = [0, 1].map(
    (axis) => 1 + Math.max(...[...cells.values()].map((cell) => cell[axis] ?? 0)),
  );
  const [a, b] = [rows ?? 0, columns ?? 0];
  const edges = topology.links.length / 2;
  const complete = 2 * a * b - a - b;
  if (topology.nodes.length === a * b && edges === complete) return undefined;
  return `it has ${topology.nodes.length} nodes and ${edges} edges where a grid of ${a} × ${b} has ${a * b} and ${complete}`;
}

const hops = (topology: Topology, from: NodeId): ReadonlyMap<NodeId, number> =>
  new Map([...settle(topology, from, () => 1)].map(([id, { distance }]) => [id, distance]));

/**
 * Why `topology` is not an oriented hypercube, as the end of a sentence. Following two ports in
 * either order leads to the same node, so the nodes that can be reached from one are the 2^d
 * corners of a cube, or fewer.
 */
export function notHypercube(topology: Topology): string | undefined {
  const { nodes } = topology;
  const d = topology.successors(nodes[0] ?? '').length;
  const ports = Array.from({ length: d }, (_, dimension) => `${dimension}`);
  if (d === 0) return 'it has no links where a hypercube has at least one dimension';
  for (const id of nodes) {
    const missing = ports.find((port) => topology.at(id, port) === undefined);
    if (topology.successors(id).length !== d)
      return `${id} has ${links(topology, id)}, and ${nodes[0]} has ${d}`;
    if (missing) return `${id} has no link called '${missing}' (in a spec: a>b@${missing})`;
  }
  const across = (id: NodeId, port: string) => topology.at(id, port) ?? '';
  for (const id of nodes)
    for (const port of ports) {
      const there = across(id, port);
      if (across(there, port) !== id)
        return `${there} is behind port ${port} of ${id}, but ${id} is not behind port ${port} of ${there}`;
      const other = ports.find(
        (second) => across(there, second) !== across(across(id, second), port),
      );
      if (other)
        return `from ${id}, the ports ${port} and ${other} lead to another node than ${other} and ${port}`;
    }
  return (
    disconnection(topology) ??
    (nodes.length === 2 ** d
      ? undefined
      : `it has ${nodes.length} nodes where ${d} dimensions have ${2 ** d}`)
  );
}

function links(topology: Topology, id: NodeId): string {
  const { length } = topology.successors(id);
  return `${length} ${length === 1 ? 'link' : 'links'}`;
}
