/** An application whose nodes join at different times, and of which some leave again. */
import type { NodeId } from '@conclave/core/protocol';
import type { Workload } from '@conclave/core/simulation';

interface ChurnOptions {
  /** The share of the nodes that leave. */
  readonly leaving: number;
  /**
   * The mean time until a node joins, and that from its first place in the tree until it leaves, in
   * milliseconds. Default 30.
   */
  readonly mean?: number;
}

export function churn({ leaving, mean = 30 }: ChurnOptions): Workload {
  return (application) => {
    const able = application.nodesAccepting('join');
    const leavers = new Set(able.filter(() => application.random.chance(leaving)));
    const attached = new Set<NodeId>();
    const delay = { kind: 'exponential', mean } as const;
    for (const id of able) application.later(delay, () => application.tell(id, { type: 'join' }));
    /** A node leaves only where it has a place; otherwise later. */
    const leave = (id: NodeId) =>
      application.later(delay, () => {
        if (attached.has(id)) application.tell(id, { type: 'leave' });
        else leave(id);
      });
    return ({ id, tags }) => {
      if (!tags.has('attached')) attached.delete(id);
      else {
        attached.add(id);
        if (leavers.delete(id)) leave(id);
      }
    };
  };
}
