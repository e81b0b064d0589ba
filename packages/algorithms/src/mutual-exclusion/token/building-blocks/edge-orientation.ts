import { always, type NodeId, type NodeView, type Property, type SystemView } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** Of each node, the neighbours to which its edges point. What both ends, or neither, claim of an edge shows here as it is. */
export type Pointers = ReadonlyMap<NodeId, readonly NodeId[]>;

const known = new WeakMap<Topology, Map<NodeId, Pointers>>();

/**
 * Each edge from the higher (height, id) to the lower, the height of a node being its distance from `holder` in hops: what an echo wave that
 * `holder` starts would build. There is no directed cycle, and every directed path that cannot go on ends at `holder`.
 *
 * @param holder a node of `topology`, which is connected, with links that go both ways.
 * @returns for each node its outgoing edges, the lowest neighbour first.
 */
export function orientedTowards(topology: Topology, holder: NodeId): Pointers {
  const byHolder = known.get(topology) ?? new Map<NodeId, Pointers>();
  known.set(topology, byHolder);
  const pointers = byHolder.get(holder) ?? orient(topology, holder);
  byHolder.set(holder, pointers);
  return pointers;
}

function orient(topology: Topology, holder: NodeId): Pointers {
  const heights = heightsAbove(topology, holder);
  const lower = (one: NodeId, other: NodeId) => heightOf(one) - heightOf(other) || (one < other ? -1 : 1);
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
  // A map is walked in insertion order, also over what is added meanwhile: breadth-first.
  for (const [id, height] of heights)
    for (const neighbour of topology.successors(id)) if (!heights.has(neighbour)) heights.set(neighbour, height + 1);
  return heights;
}

/** `out` with the edge to `neighbour` in it, which is the first one from now on. */
export const pointingTo = (neighbour: NodeId, out: readonly NodeId[]): readonly NodeId[] => [
  neighbour,
  ...out.filter((id) => id !== neighbour),
];

/** Whether one can follow the pointers for ever. */
export function hasCycle(pointers: Pointers): boolean {
  const left = new Set(pointers.keys());
  const ends = () => [...left].filter((id) => !pointers.get(id)?.some((next) => left.has(next)));
  // Nodes from which every path ends are taken away until there are none.
  for (let free = ends(); free.length > 0; free = ends()) for (const id of free) left.delete(id);
  return left.size > 0;
}

/** Where paths along the pointers cannot go on. */
export const endsOf = (pointers: Pointers): readonly NodeId[] => [...pointers].filter(([, next]) => next.length === 0).map(([id]) => id);

/** Who has the token, or is about to get it. */
function ownerOf(system: SystemView): NodeId | undefined {
  return system.tagged('token')[0]?.id ?? system.inFlight('token')[0]?.to;
}

/** The pointers that count: not those of the owner, which it gives up, at the latest, when the token comes. */
function counted(system: SystemView, pointersOf: (node: NodeView) => readonly NodeId[]): Pointers {
  const owner = ownerOf(system);
  return new Map(system.nodes.map((node) => [node.id, node.id === owner ? [] : pointersOf(node)]));
}

/**
 * The two invariants of a network whose edges are oriented towards a token, of nodes tagged `token` and messages called `token`. The owner is
 * the node that has the token or to which it is on its way; the edges that point away from the owner do not count.
 *
 * @param pointersOf where a node's edges point, read from its context.
 */
export const orientedToOwner = (pointersOf: (node: NodeView) => readonly NodeId[]): readonly Property[] => [
  always('no directed cycle among the edges of those who do not own the token', (system) => !hasCycle(counted(system, pointersOf))),
  always('no directed path ends anywhere but at the owner of the token', (system) => {
    const ends = endsOf(counted(system, pointersOf));
    return ends.length === 1 && ends[0] === ownerOf(system);
  }),
];
