/** What tests ask of every token that knows of all entries. */
import { always, type Property } from '@conclave/core/protocol';
import { type Counts, countOf } from './token-knowledge.js';

interface Numbered {
  readonly served: Counts;
}

/** What makes the sum of the numbers a fencing token. */
export const everyEntryCounted: Property = always('the token knows of every entry so far', (system) => {
  const [owner] = system.tagged('token');
  const [sent] = system.inFlight('token').map(({ message }): unknown => message);
  const { served } = (owner ? owner.context.token : sent) as Numbered; // as the machines' own types say
  return system.nodes.every(({ id, context, tags }) => {
    const commands = countOf(context.requested as Counts, id); // the same
    return countOf(served, id) === commands - (tags.has('waiting') ? 1 : 0);
  });
});
