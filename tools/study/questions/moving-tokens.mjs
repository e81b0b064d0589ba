/** Q3 to Q6: the tokens of A9, whose edges are reversed, and of A10, which is hunted. */
import { topology } from '@conclave/core/topology';
import { moduleOf } from '../../algorithm/files.mjs';
import {
  checked,
  command,
  entryCell,
  entryOf,
  explored,
  fixed,
  linked,
  listed,
  names,
  number,
  page,
  table,
  trace,
  verdictText,
  violationOf,
} from '../evidence.mjs';
import { harmonic, toNumber } from '../harmonic.mjs';
import { measured } from '../locks.mjs';

// Q3: requests and the token in A9.

const graphs = [
  'complete:3',
  'two-way-ring:4',
  'edges:a-b,a-c,b-c,b-d',
  'edges:a-b,a-c,a-d,b-c,b-d',
  'complete:4',
];
const reversals = ['travelled', 'acknowledged', 'numbered'];

/** The lock A9 with given edges: without the wave that finds them. */
const onGraph = (spec, { reversal, edge, ...budget }) =>
  checked('A9', spec, {
    options: { startUp: 'given', reversal, ...(edge && { edge }) },
    ...budget,
  });

export const q3 = {
  id: 'Q3',
  of: ['A9'],
  asks: 'Why does a request always catch up with the token eventually? Does it without FIFO?',
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
      answer: `${holds ? 'The request does not run after the token: a node keeps each request that arrives, and sends its own. So a chain of requests leads to the token, even without FIFO' : 'It does not: see the table'}.`,
      evidence: page(
        'If a node passes the token on while its queue is not empty, it sends a request after the token. So the token always leaves behind a request that points the way back; the edges have no cycle, so the chain ends at the token. If a request overtakes the token, it waits in the queue of the node that the token reaches next.',
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
        `The cells have the number of states, with an entry of each node; the properties include *${names.entry}*.`,
        command(rows.at(-1).at(-1)[0].command),
      ),
      changes: `If one message may be lost, the chain breaks: a node waits forever after ${violationOf(lost, names.entry).steps} steps (\`${lost.command}\`). If edges can form a cycle, the chain leads nowhere: see [Q4](q4.md). Rules: ${linked('A9')}.`,
    };
  },
};

// Q4: the acknowledgements of A9.

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
      answer: `${run ? 'Yes, in the sketch of the algorithm: otherwise a node may act on an old message and turn an edge the wrong way, and nodes ask each other in a circle' : 'No violation was found'}. Numbers on the messages prevent this without waiting.`,
      evidence: page(
        table(
          ['graph', 'not awaited, FIFO', 'not awaited, any order', 'awaited', 'numbered'],
          rows.map(([fifo, ...others]) => [
            `\`${fifo.spec}\``,
            ...[fifo, ...others].map(entryCell),
          ]),
        ),
        'A cell has the number of states, or, if a node waits forever, the steps until then. This is the run on a triangle with one more node; FIFO does not help:',
        trace(run.text),
        command(starving.command),
        'c has told b that c has the token. Before b gets this message, the token goes on by a and b to d. Now b follows the old message and points to c, c to a and a to b.',
      ),
      changes: `On ${listed(right.map(([{ spec }]) => `\`${spec}\``))} no node need wait for answers: nodes can ask each other in a circle only if the network has a cycle that avoids the owner of the token, and these networks have none. With \`reversal=travelled\` nodes tell nobody, so they await nothing: [Q5](q5.md). ${linked('A9')} names the authors who made and repaired this mistake.`,
    };
  },
};

// Q5: whom A9 tells, and the complete graph.

const networks = ['complete:16', 'grid:4x4', 'two-way-ring:16'];
const compared = ['travelled', 'numbered', 'acknowledged'];

/** Under light load. */
function runLightly(spec, options, { seed, entries }) {
  const network = topology(spec);
  const { cost, result, command } = measured(entryOf('A9'), {
    ...{ topology: network, n: network.nodes.length, load: 'light', seed, entries },
    options: { startUp: 'given', ...options },
  });
  return { cost, hops: result.messages.token / result.exclusion.entries.length, command };
}

export const q5 = {
  id: 'Q5',
  of: ['A9', 'A7'],
  asks: 'Can a node save messages by not telling some neighbours? Is the complete graph an interesting special case?',
  run: ({ quick, seed }) => {
    const given = { seed, entries: quick ? 4 : 40 };
    const rows = networks.map((spec) =>
      compared.map((reversal) => runLightly(spec, { reversal }, given)),
    );
    const [nobody, tree] = [
      onGraph('complete:4', { reversal: 'travelled' }),
      checked('A7', 'star:4'),
    ];
    const random = runLightly('complete:16', { reversal: 'acknowledged', edge: 'any' }, given);
    const n = 16;
    const hops = toNumber(harmonic(n - 1)) - (n - 1) / n;
    const [none, numbered, answered] = rows[0];
    const pays = networks.flatMap((spec, index) =>
      rows[index][1].cost < rows[index][0].cost ? [`\`${spec}\``] : [],
    );
    return {
      answer: `${nobody.violated.length === 0 ? 'Yes: a node need not tell any neighbour. After the first visit of the token, such a node has one outgoing edge, and A9 becomes A7 on a spanning tree' : 'No: see below'}. On the complete graph the edges order the nodes by the last visit of the token, and messages to the neighbours cost far more than they save.`,
      evidence: page(
        `With \`travelled\` a node tells no neighbour. On \`complete:4\` A9 then has ${number(nobody.states)} states, and ${linked('A7')} on \`star:4\` has ${number(tree.states)}: both do the same on the tree of the first edges. Messages per entry under light load, and in parentheses the hops of the token:`,
        table(
          ['network', ...compared.map((reversal) => `\`${reversal}\``)],
          rows.map((row, index) => [
            `\`${networks[index]}\``,
            ...row.map(({ cost, hops }) => `${fixed(cost, 2)} (${fixed(hops, 2)})`),
          ]),
        ),
        command(nobody.command, tree.command, none.command, numbered.command),
        `On \`complete:16\` messages to the neighbours shorten the path of the token from ${fixed(none.hops, 2)} to ${fixed(numbered.hops, 2)} hops, and cost ${fixed(numbered.cost - none.cost, 1)} messages more, ${fixed(answered.cost - none.cost, 1)} with answers. Let each request take any outgoing edge. Then each node on its path had the token later than the node before, so the path is as long as the number of [records](records.md) in a random order. On average over all nodes this is H(n−1) − (n−1)/n hops, ${fixed(hops, 2)} for n = ${n}; the simulation measures ${fixed(random.hops, 2)}. So the path grows as ln n, although each node is one hop away.`,
        command(random.command),
      ),
      changes: `Messages to neighbours pay if hops of the token cost more, or if a node has few neighbours to tell: ${pays.length > 0 ? `on ${listed(pays)} \`numbered\` saves more messages than it costs` : 'this holds on none of these networks'}.`,
    };
  },
};

// Q6: FIFO channels in A10.

const { machine } = await moduleOf('mutual-exclusion/token/hunted-token/hunted-token');
/** Without HT6. */
const withoutHops = machine.provide({ guards: { tokenIsComing: () => false } });

const orders = ['any', 'fifo'];

export const q6 = {
  id: 'Q6',
  of: ['A10'],
  asks: 'Are FIFO channels necessary on the one-way ring?',
  run: ({ quick }) => {
    const sizes = quick ? [2, 3] : [2, 3, 4, 5];
    const rows = sizes.map((n) => {
      const budget = { commands: n < (quick ? 3 : 4) ? 2 : 1 };
      const spec = `ring:${n}`;
      return {
        counted: orders.map((order) => checked('A10', spec, { ...budget, order })),
        uncounted:
          n < 5
            ? orders.map((order) =>
                explored('A10', spec, { ...budget, order, machine: withoutHops }),
              )
            : [],
        spec,
        budget,
      };
    });
    const holds = rows.every(({ counted }) =>
      counted.every(({ violated }) => violated.length === 0),
    );
    const run = violationOf(
      explored('A10', 'ring:2', { order: 'any', machine: withoutHops }),
      names.entry,
    );
    return {
      answer: `${holds ? 'No, if the token counts its hops and each hunt carries the count of the token’s last visit. Yes, without the count' : 'Yes: see below'}.`,
      evidence: page(
        table(
          ['ring', 'entries each', 'any order', 'FIFO', 'no count, any order', 'no count, FIFO'],
          rows.map(({ spec, budget, counted, uncounted }) => [
            `\`${spec}\``,
            budget.commands,
            ...[...counted, ...uncounted].map(entryCell),
            ...(uncounted.length === 0 ? ['', ''] : []),
          ]),
        ),
        'A cell has the number of states if all properties hold, or else the steps until a node waits forever. Without the count, a hunt that overtakes the token ends at a node that already expects the token, and is lost:',
        trace(run.text),
        command(rows.at(-1).counted[0].command),
      ),
      changes: `Without the rule HT6 of ${linked('A10')} the answer is yes, as above. On rings with channels that keep the order, the count is unnecessary. A lost hunt makes its sender wait forever in either case.`,
    };
  },
};
