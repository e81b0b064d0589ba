/** For tests of tokens that record all entries. */
import { always, type Property } from '@conclave/core/protocol';
import { type Counts, countOf } from './token-knowledge.js';

/** Why the sum of the numbers is a fencing token. */
export const everyEntryCounted: Property = always(
  'the token records every entry so far',
  (system) => {
    const [owner] = system.tagged('token');
    const [sent] = system.inFlight('token').map(({ message }): unknown => message);
    // by the machines' types
    const { served } = (owner ? owner.context.token : sent) as { readonly served: Counts };
    return system.nodes.every(({ id, context, tags }) => {
      const requests = countOf(context.requested as Counts, id); // the same
      return countOf(served, id) === requests - (tags.has('waiting') ? 1 : 0);
    });
  },
);
