import type { NodeId, NodeView, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

/** The other nodes for whose answers a waiting node waits, where the protocol knows them. */
export const awaitedBy = (
  { waitsFor }: Protocol,
  state: NodeView,
  topology: Topology,
): readonly NodeId[] =>
  state.tags.has('waiting')
    ? (waitsFor?.(state, topology) ?? []).filter((id) => id !== state.id)
    : [];
