import {
  always,
  type NodeId,
  type NodeView,
  type Property,
  type SystemView,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/**
 * The neighbours to which the edges of each node point. Both ends of an edge may point along it, or
 * neither.
 */
export type Pointers = ReadonlyMap<NodeId, readonly NodeId[]>;

const orientations = new WeakMap<Topology, Map<NodeId, Pointers>>();

/**
 * Each edge points from the higher (height, id) to the lower; the height of a node is its distance
 * from `holder` in hops. There is no directed cycle, and every directed path ends at `holder`.
 *
 * @param holder a node of `topology`, which is connected, with links that go both ways.
 * @returns for each node its outgoing edges, the lowest neighbour first.
 */
export function orientedTowards(topology: Topology, holder: NodeId): Pointers {
  const byHolder = orientations.get(topology) ?? new Map<NodeId, Pointers>();
  orientations.set(topology, byHolder);
  const pointers = byHolder.get(holder) ?? orient(topology, holder);
  byHolder.set(holder, pointers);
  return pointers;
}

function orient(topology: Topology, holder: NodeId): Pointers {
  const heights = heightsAbove(topology, holder);
  const lower = (one: NodeId, other: NodeId) =>
    heightOf(one) - heightOf(other) || (one < other ? -1 : 1);
  const heightOf = (id: NodeId) => heights.get(id) ?? Infinity;
  return new Map(
    topology.nodes.map((id) => [
      id,
      topology
        .successors(id)
        .filter((neighbour) => lower(neighbour, id) < 0)
        .sort(lower),
    ]),
  );
}

function heightsAbove(topology: Topology, holder: NodeId): ReadonlyMap<NodeId, number> {
  const heights = new Map([[holder, 0]]);
  // Iteration over a map includes entries that are added meanwhile, in insertion order: this is
  // breadth-first search.
  for (const [id, height] of heights)
    for (const neighbour of topology.successors(id))
      if (!heights.has(neighbour)) heights.set(neighbour, height + 1);
  return heights;
}

/** `out` with the edge to `neighbour` as its first. */
export const pointingTo = (neighbour: NodeId, out: readonly NodeId[]): readonly NodeId[] => [
  neighbour,
  ...out.filter((id) => id !== neighbour),
];

/** Whether there is a directed cycle. */
export function hasCycle(pointers: Pointers): boolean {
  const left = new Set(pointers.keys());
  const ends = () => [...left].filter((id) => !pointers.get(id)?.some((next) => left.has(next)));
  // Nodes from which every path ends are removed until there are none.
  for (let free = ends(); free.length > 0; free = ends()) for (const id of free) left.delete(id);
  return left.size > 0;
}

/** The nodes without outgoing edges. */
export const endsOf = (pointers: Pointers): readonly NodeId[] =>
  [...pointers].filter(([, next]) => next.length === 0).map(([id]) => id);

/** The node that has the token, or to which it is on its way. */
function ownerOf(system: SystemView): NodeId | undefined {
  return system.tagged('token')[0]?.id ?? system.inFlight('token')[0]?.to;
}

/** All pointers but those of the owner: it removes them when the token arrives, or has done so. */
function countPointers(
  system: SystemView,
  pointersOf: (node: NodeView) => readonly NodeId[],
): Pointers {
  const owner = ownerOf(system);
  return new Map(system.nodes.map((node) => [node.id, node.id === owner ? [] : pointersOf(node)]));
}

/**
 * The two invariants of a network whose edges are oriented towards a token: a node tagged `token`,
 * or a message called `token`. The owner is the node that has the token, or to which it is on its
 * way; its outgoing edges are ignored.
 *
 * @param pointersOf reads from its context where a node's edges point. `isStarted`: whether it
 * knows its edges; until then it has none, and a path may end at it.
 */
export const orientedToOwner = (
  pointersOf: (node: NodeView) => readonly NodeId[],
  isStarted: (node: NodeView) => boolean = () => true,
): readonly Property[] => [
  always(
    'no directed cycle among the edges of the nodes that do not own the token',
    (system) => !hasCycle(countPointers(system, pointersOf)),
  ),
  always('every directed path ends at the owner of the token', (system) => {
    const owner = ownerOf(system);
    const ends = endsOf(countPointers(system, pointersOf)).filter(
      (id) => id === owner || isStarted(system.node(id)),
    );
    return ends.length === 1 && ends[0] === owner;
  }),
];
