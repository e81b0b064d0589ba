/** Q4: the acknowledgements of A9. */
import {
  command,
  entryCell,
  linked,
  listed,
  names,
  page,
  table,
  trace,
  violationOf,
} from '../evidence.mjs';
import { graphs, onGraph } from './q3.mjs';

const paw = 'edges:a-b,a-c,b-c,b-d';

export const q4 = {
  id: 'Q4',
  of: ['A9'],
  asks: 'Must the acknowledgements of the reversal messages be awaited before the token travels on?',
  run: ({ quick }) => {
    const specs = quick ? [paw, 'complete:3'] : ['chain:4', ...graphs];
    const rows = specs.map((spec) => [
      onGraph(spec, { reversal: 'all', order: 'fifo' }),
      onGraph(spec, { reversal: 'all', order: 'any' }),
      onGraph(spec, { reversal: 'acknowledged', order: 'any' }),
      onGraph(spec, { reversal: 'numbered', order: 'any' }),
    ]);
    const starving = rows.find(([{ spec }]) => spec === paw)[0];
    const run = violationOf(starving, names.entry);
    const right = rows.filter(([fifo, any]) =>
      [fifo, any].every(({ violated }) => violated.length === 0),
    );
    return {
      answer: `${run ? 'Yes, as the algorithm is sketched: otherwise a node may follow old news and turn an edge the wrong way, and nodes ask each other in a circle' : 'No violation was found'}. Numbers on the messages do the same without waiting.`,
      evidence: page(
        table(
          ['graph', 'not awaited, FIFO', 'not awaited, any order', 'awaited', 'numbered'],
          rows.map(([fifo, ...others]) => [
            `\`${fifo.spec}\``,
            ...[fifo, ...others].map(entryCell),
          ]),
        ),
        'States, and where a node waits forever the steps until then. The run on a triangle with one more node, with FIFO; FIFO does not help:',
        trace(run.text),
        command(starving.command),
        'c has told b that the token has come to it. Before b hears of it, the token goes on by a and b to d. Now b follows the old message and points to c, c to a and a to b.',
      ),
      changes: `On ${listed(right.map(([{ spec }]) => `\`${spec}\``))} no answer need be awaited: a cycle must avoid the owner of the token. With \`reversal=travelled\` nobody is told, so there is nothing to await: [Q5](q5.md). ${linked('A9')} names those who made and repaired this mistake.`,
    };
  },
};
