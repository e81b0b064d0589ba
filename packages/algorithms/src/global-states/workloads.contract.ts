/** Workloads for tests of snapshots, in which coins move, and of termination detection. */
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

/** Each node sends work three times, if it is active then. */
export const distributing =
  (): Workload =>
  ({ nodes, later, tell }) => {
    for (const node of nodes)
      for (let time = 0; time < 3; time++)
        later({ kind: 'uniform', least: 0, most: 60 }, () => {
          if (node.tags.has('active')) tell(node.id, { type: 'distribute' });
        });
    return () => {};
  };
