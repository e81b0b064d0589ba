import { always, type NodeId, type NodeView, type Property } from '@conclave/core/protocol';
import { propertiesWith } from '../mutual-exclusion/mutual-exclusion.js';

/**
 * Local exclusion (Dijkstra 1971; Chandy and Misra 1984): two nodes that conflict are not in their
 * critical sections at once; others may be. Commands, liveness and obedience are those of mutual
 * exclusion, which is the special case in which every two nodes conflict.
 *
 * @param safety a sentence. `conflict`: whether two nodes must not be in their critical sections at
 * once.
 */
export const localExclusion = (
  safety: string,
  conflict: (one: NodeView, other: NodeView) => boolean,
): readonly Property[] =>
  propertiesWith(
    always(safety, (system) => {
      const inside = system.tagged('critical');
      return inside.every((one, index) =>
        inside.slice(index + 1).every((other) => !conflict(one, other)),
      );
    }),
  );

/** The neighbours of a node whose machine knows them. */
export const neighboursOf = ({ context }: NodeView): readonly NodeId[] =>
  context.neighbours as readonly NodeId[]; // as the machines' own types say
