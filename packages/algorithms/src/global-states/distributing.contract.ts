/** A computation for the tests of termination detection. */
import type { Workload } from '@conclave/core/simulation';

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
