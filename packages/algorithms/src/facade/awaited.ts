import type { NodeId, NodeView, Protocol } from '@conclave/core/protocol';

/** The other nodes for whose answers a waiting node waits, where the protocol knows them. */
export const awaitedBy = ({ waitsFor }: Protocol, state: NodeView): readonly NodeId[] =>
  state.tags.has('waiting') ? (waitsFor?.(state) ?? []).filter((id) => id !== state.id) : [];
