import type { NodeId } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** What a node of a two-way ring knows at the start. */
export interface Sides {
  readonly self: NodeId;
  readonly left: NodeId;
  readonly right: NodeId;
}

export const sidesOf = (self: NodeId, topology: Topology) =>
  ({
    self,
    left: topology.at(self, 'left') ?? self,
    right: topology.at(self, 'right') ?? self,
  }) satisfies Sides;

/** The nodes of a two-way ring in the order in which each is on the right of the one before it. */
export function around(ring: Topology): readonly NodeId[] {
  const order: NodeId[] = [];
  let [at] = ring.nodes;
  while (at !== undefined && order.length < ring.nodes.length) {
    order.push(at);
    at = ring.at(at, 'right');
  }
  return order;
}
