/**
 * The networks that protocols need: values of `topology` in the definition of a protocol. A program
 * bundles only those that it uses.
 */
import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../base/node-id.js';
import * as generators from './generators.js';
import { randomGraph } from './generators.js';
import { disconnection, oneWayLink, settle } from './measures.js';
import {
  completeOver,
  gridOver,
  hypercubeOver,
  ringOver,
  starOver,
  treeOver,
  widestRows,
} from './overlay.js';
import { shown, type Topology } from './topology.js';

/** The network a protocol runs on. */
export interface TopologyNeed {
  /** Such as `complete` or `one-way ring`. */
  readonly name: string;
  /** Why `topology` does not fit, as the end of a sentence; undefined where it does. */
  readonly refuses: (topology: Topology) => string | undefined;
  /** A fitting network of `n` nodes. */
  readonly example: (n: number) => Topology;
  /** The fitting logical network over a connected physical one. */
  readonly overlay: (physical: Topology) => Topology;
  /** A node that each fitting network has, since an option of the protocol names it. */
  readonly named?: { readonly option: string; readonly node: NodeId };
}

/** Every two nodes are linked in both directions. */
export const complete: TopologyNeed = {
  name: 'complete',
  refuses: notComplete,
  example: generators.complete,
  overlay: completeOver,
};

/** One link out of each node, port `next`, and they close one ring. */
export const oneWayRing: TopologyNeed = {
  name: 'one-way ring',
  refuses: (topology) => notRing(topology, ['next']),
  example: (n) => generators.ring(n),
  overlay: (physical) => ringOver(physical),
};

/**
 * Two links out of each node, ports `left` and `right`, which form one ring with a common
 * direction.
 */
export const twoWayRing: TopologyNeed = {
  name: 'two-way ring',
  refuses: notTwoWayRing,
  // the smallest one has 3 nodes
  example: (n) => generators.ring(Math.max(n, 3), { oneWay: false }),
  overlay: (physical) => ringOver(physical, undefined, { oneWay: false }),
};

/** Connected without a cycle; links have both directions. */
export const tree: TopologyNeed = {
  name: 'tree',
  refuses: notTree,
  example: (n) => generators.tree(2, n),
  overlay: (physical) => treeOver(physical),
};

/**
 * The first node is linked with each other one in both directions, and there are no other links.
 */
export const star: TopologyNeed = {
  name: 'star',
  refuses: notStar,
  example: generators.star,
  overlay: starOver,
};

/**
 * Rows and columns, at least two of each, without ports; the example is the smallest grid of at
 * least `n` nodes.
 */
export const mesh: TopologyNeed = {
  name: 'mesh',
  refuses: notGrid,
  example: meshOf,
  overlay: gridOver,
};

/**
 * The 2^d corners of a cube, ports `0` … `d − 1`; the example is the smallest cube of at least `n`
 * nodes.
 */
export const hypercube: TopologyNeed = {
  name: 'hypercube',
  refuses: notHypercube,
  example: (n) => generators.hypercube(Math.max(1, Math.ceil(Math.log2(n)))),
  overlay: hypercubeOver,
};

/** Any connected network whose links have both directions. */
export const connected: TopologyNeed = {
  name: 'connected',
  refuses: notConnected,
  example: (n) => randomGraph(n, 0.2, 1),
  overlay: itself,
};

function notComplete(topology: Topology): string | undefined {
  for (const a of topology.nodes) {
    for (const b of topology.nodes) {
      if (a === b || topology.link(a, b)) continue;
      return topology.link(b, a)
        ? `the link ${b}→${a} has no way back`
        : `${a} and ${b} have no link between them`;
    }
  }
  return undefined;
}

function notRing(topology: Topology, ports: readonly string[]): string | undefined {
  for (const id of topology.nodes) {
    const count = topology.successors(id).length;
    if (count !== ports.length)
      return `${id} has ${count} ${count === 1 ? 'link' : 'links'} out where a ${ports.length === 1 ? 'one' : 'two'}-way ring has ${ports.length}`;
    const missing = ports.find((port) => topology.at(id, port) === undefined);
    if (missing) return `${id} has no link called '${missing}' (in a spec: a>b@${missing})`;
  }
  return notClosed(topology, ports.at(-1) ?? '');
}

function notTwoWayRing(topology: Topology): string | undefined {
  const why = notRing(topology, ['left', 'right']);
  if (why) return why;
  for (const id of topology.nodes) {
    const right = topology.at(id, 'right') ?? '';
    if (topology.at(right, 'left') !== id)
      return `${right} is on the right of ${id}, but ${id} is not on the left of ${right}`;
  }
  return undefined;
}

/**
 * Each node has the port `forward`; following it from the first node must lead through all of them
 * and back.
 */
function notClosed(topology: Topology, forward: string): string | undefined {
  const { nodes } = topology;
  const [first = ''] = nodes;
  const met = new Set<NodeId>();
  let at = first;
  while (!met.has(at)) {
    met.add(at);
    at = topology.at(at, forward) ?? '';
  }
  if (at !== first) return `following '${forward}' from ${first} never leads back to ${first}`;
  return met.size === nodes.length
    ? undefined
    : `following '${forward}' from ${first} leads back after ${met.size} of ${nodes.length} nodes`;
}

function notConnected(topology: Topology): string | undefined {
  return oneWayLink(topology) ?? disconnection(topology);
}

function notTree(topology: Topology): string | undefined {
  const why = notConnected(topology);
  if (why) return why;
  const edges = topology.links.length / 2;
  const most = topology.nodes.length - 1;
  return edges === most
    ? undefined
    : `there are ${edges} edges where a tree of ${most + 1} nodes has ${most}, so there is a cycle`;
}

function notStar(topology: Topology): string | undefined {
  const [centre = '', ...others] = topology.nodes;
  for (const id of others) {
    if (!topology.link(centre, id) || !topology.link(id, centre))
      return `${id} has no two-way link with the centre ${centre}`;
  }
  const stray = topology.links.find(({ from, to }) => from !== centre && to !== centre);
  return stray && `${stray.from} has a link to ${stray.to}, and neither is the centre ${centre}`;
}

function meshOf(n: number): Topology {
  let nodes = Math.max(4, n);
  while (widestRows(nodes) === 1) nodes += 1;
  return generators.grid(widestRows(nodes), nodes / widestRows(nodes));
}

/** Any network that is connected is an overlay of itself. */
function itself(physical: Topology): Topology {
  const why = notConnected(physical);
  if (why)
    throw new ConclaveError(
      'bad-topology',
      `Topology '${shown(physical.spec)}' is not connected: ${why}`,
    );
  return physical;
}

// Recognises grids and hypercubes by their links, whatever their nodes are called and in whichever
// order they are listed.

/** Why `topology` is not a grid of at least 2 × 2, as the end of a sentence. Ports do not count. */
function notGrid(topology: Topology): string | undefined {
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
function notHypercube(topology: Topology): string | undefined {
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
