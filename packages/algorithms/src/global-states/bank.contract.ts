/** For tests of snapshots: coins move while one is taken. */
import type { Workload } from '@conclave/core/simulation';

/** Each node pays twice if it can, at any time; the snapshot begins meanwhile. */
export const payments =
  (initiator = 'a'): Workload =>
  ({ nodes, later, tell }) => {
    later({ kind: 'uniform', least: 0, most: 60 }, () => tell(initiator, { type: 'snapshot' }));
    for (const node of nodes)
      for (let time = 0; time < 2; time++)
        later({ kind: 'uniform', least: 0, most: 100 }, () => {
          if (Number(node.context.coins) > 0) tell(node.id, { type: 'transfer' });
        });
    return () => {};
  };
