/** Q3: requests and the token in A9. */
import {
  checked,
  command,
  linked,
  names,
  number,
  page,
  table,
  verdictText,
  violationOf,
} from '../evidence.mjs';

export const graphs = [
  'complete:3',
  'two-way-ring:4',
  'edges:a-b,a-c,b-c,b-d',
  'edges:a-b,a-c,a-d,b-c,b-d',
  'complete:4',
];
const reversals = ['travelled', 'acknowledged', 'numbered'];

/** The lock A9 with given edges: without the wave that finds them. */
export const onGraph = (spec, { reversal, edge, ...budget }) =>
  checked('A9', spec, {
    options: { startUp: 'given', reversal, ...(edge && { edge }) },
    ...budget,
  });

export const q3 = {
  id: 'Q3',
  of: ['A9'],
  asks: 'Why does a request always catch up with the token in the end? Does it without FIFO?',
  run: ({ quick }) => {
    const specs = quick ? graphs.slice(0, 2) : graphs;
    const rows = specs.map((spec) =>
      reversals.map((reversal) =>
        ['any', 'fifo'].map((order) => onGraph(spec, { reversal, order })),
      ),
    );
    const all = rows.flat(2);
    const holds = all.every(({ violated }) => violated.length === 0);
    const lost = onGraph('complete:3', { reversal: 'travelled', losses: 1 });
    return {
      answer: `${holds ? 'It need not run after the token: it is kept where it arrives, and each node that keeps one has asked in turn. So a chain of requests leads to the token, without FIFO as well' : 'It does not: see the table'}.`,
      evidence: page(
        'A node that passes the token on while its queue is not empty sends a request after it. So wherever the token goes, it leaves a request that points the way back; the edges have no cycle, so the chain ends at the token. A request that overtakes the token waits in the queue of the node where the token is about to arrive.',
        table(
          [
            'graph',
            ...reversals.map((reversal) => `\`${reversal}\`: any order / FIFO`),
            'properties',
          ],
          rows.map((row, index) => [
            `\`${specs[index]}\``,
            ...row.map((pair) => pair.map(({ states }) => number(states)).join(' / ')),
            row.flat().every(({ violated }) => violated.length === 0)
              ? 'all hold'
              : verdictText(row.flat().find(({ violated }) => violated.length > 0)),
          ]),
        ),
        `States, with an entry of each node; among the properties is *${names.entry}*.`,
        command(rows.at(-1).at(-1)[0].command),
      ),
      changes: `If one message may be lost, the chain breaks: a node waits forever after ${violationOf(lost, names.entry).steps} steps (\`${lost.command}\`). If edges can form a cycle, it leads nowhere: see [Q4](q4.md). Rules: ${linked('A9')}.`,
    };
  },
};
