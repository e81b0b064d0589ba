/** Q5: whom A9 tells, and the complete graph. */
import { topology } from '@conclave/core/topology';
import {
  checked,
  command,
  entryOf,
  fixed,
  linked,
  listed,
  number,
  page,
  table,
} from '../evidence.mjs';
import { harmonic, toNumber } from '../harmonic.mjs';
import { measured } from '../locks.mjs';
import { onGraph } from './q3.mjs';

const networks = ['complete:16', 'grid:4x4', 'two-way-ring:16'];
const reversals = ['travelled', 'numbered', 'acknowledged'];

/** Under light load. */
function run(spec, options, { seed, entries }) {
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
  asks: 'Can telling some neighbours be saved? Is the complete graph an interesting special case?',
  run: ({ quick, seed }) => {
    const given = { seed, entries: quick ? 4 : 40 };
    const rows = networks.map((spec) =>
      reversals.map((reversal) => run(spec, { reversal }, given)),
    );
    const [nobody, tree] = [
      onGraph('complete:4', { reversal: 'travelled' }),
      checked('A7', 'star:4'),
    ];
    const random = run('complete:16', { reversal: 'acknowledged', edge: 'any' }, given);
    const n = 16;
    const hops = toNumber(harmonic(n - 1)) - (n - 1) / n;
    const [none, numbered, answered] = rows[0];
    const pays = networks.flatMap((spec, index) =>
      rows[index][1].cost < rows[index][0].cost ? [`\`${spec}\``] : [],
    );
    return {
      answer: `${nobody.violated.length === 0 ? 'Yes: telling all of them can be saved. A node then has one outgoing edge once the token has passed it, and A9 becomes A7 on a spanning tree' : 'No: see below'}. On the complete graph the edges order the nodes by the last visit of the token, and telling costs far more messages than it saves.`,
      evidence: page(
        `With \`travelled\` nobody is told. On \`complete:4\` it has ${number(nobody.states)} states, and ${linked('A7')} on \`star:4\` has ${number(tree.states)}: the tree of the first edges, on which both do the same. Messages per entry under light load, and in parentheses the hops of the token:`,
        table(
          ['network', ...reversals.map((reversal) => `\`${reversal}\``)],
          rows.map((row, index) => [
            `\`${networks[index]}\``,
            ...row.map(({ cost, hops }) => `${fixed(cost, 2)} (${fixed(hops, 2)})`),
          ]),
        ),
        command(nobody.command, tree.command, none.command, numbered.command),
        `On \`complete:16\` telling shortens the path of the token from ${fixed(none.hops, 2)} to ${fixed(numbered.hops, 2)} hops, and costs ${fixed(numbered.cost - none.cost, 1)} messages more, ${fixed(answered.cost - none.cost, 1)} with answers. If each request takes any outgoing edge, it visits nodes in the order of ever later visits, as records come: H(n−1) − (n−1)/n = ${fixed(hops, 2)} hops for n = ${n}, of an entry at any node; measured ${fixed(random.hops, 2)}. So the path grows as ln n, though each node is one hop away.`,
        command(random.command),
      ),
      changes: `If hops of the token cost more than messages to neighbours, or where few neighbours are to be told: ${pays.length > 0 ? `on ${listed(pays)} \`numbered\` saves more messages than it costs` : 'telling pays on none of these networks'}.`,
    };
  },
};
