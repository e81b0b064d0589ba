/** Q7: the symmetry of A7. */
import { topology } from '@conclave/core/topology';
import { command, entryOf, fixed, linked, page, table } from '../evidence.mjs';
import { measured } from '../locks.mjs';
import { decimalOf, gini, lightLoads } from '../trees.mjs';

const networks = ['chain:15', 'tree:2:15', 'tree:4:15', 'star:15'];
const loads = ['light', 'heavy'];
const others = [
  ['A1', 'star:15'],
  ['A3', 'complete:15'],
];

/** Messages that each node sends and receives, per entry. */
function loadsOn(id, spec, { load, seed, entries }) {
  const network = topology(spec);
  const n = network.nodes.length;
  const { result, command } = measured(entryOf(id), { topology: network, n, load, seed, entries });
  const count = result.exclusion.entries.length;
  const perNode = network.nodes.map((node) => {
    const { sent, received } = result.load[node];
    return (sent + received) / count;
  });
  return { perNode, command };
}

/** By formula, for a tree. Heavy load: the token crosses each edge twice for n entries, as requests do. */
const expectedLoads = (network, load) =>
  load === 'light'
    ? [...lightLoads(network).values()].map(decimalOf)
    : network.nodes.map((node) => (4 * network.successors(node).length) / network.nodes.length);

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const most = (values) => Math.max(...values);
const least = (values) => Math.min(...values);

export const q7 = {
  id: 'Q7',
  of: ['A7'],
  asks: 'In which sense is the algorithm symmetric?',
  run: ({ quick, seed }) => {
    const given = { seed, entries: quick ? 5 : 100 };
    const rows = networks.map((spec) => ({
      spec,
      runs: loads.map((load) => ({
        ...loadsOn('A7', spec, { load, ...given }),
        expected: expectedLoads(topology(spec), load),
      })),
    }));
    const compared = others.map(([id, spec]) => ({
      name: `${linked(id)}, \`${spec}\``,
      runs: loads.map((load) => loadsOn(id, spec, { load, ...given })),
    }));
    const roles = Object.keys(entryOf('A7').make().roles).length;
    const busiest = (spec, load) =>
      most(rows.find((row) => row.spec === spec).runs[loads.indexOf(load)].perNode);
    const star = rows.find(({ spec }) => spec === 'star:15').runs[1].perNode;
    return {
      answer: `${roles === 1 ? 'In syntax: all nodes run the same statechart' : 'Not even in syntax'}. Not in load: that is a matter of the place in the tree. Under heavy load a node has 4·degree/n messages per entry, under light load as many as there are paths through it.`,
      evidence: page(
        'Messages that a node sends and receives per entry on 15 nodes: the busiest and the least busy node, measured, and by formula in parentheses; and Gini’s coefficient of the load, 0 where all have the same.',
        table(
          ['network', ...loads.flatMap((load) => [`${load} load: most`, 'least', 'Gini'])],
          [
            ...rows.map(({ spec, runs }) => [`\`${spec}\``, ...runs.flatMap(cells)]),
            ...compared.map(({ name, runs }) => [name, ...runs.flatMap(cells)]),
          ],
        ),
        command(...rows.at(-1).runs.map(({ command }) => command)),
        `Light load: an edge with s nodes behind it is crossed in 2s(n−s) of n² entries, by a request and the token. Heavy load: the token goes round the tree, and crosses each edge twice for n entries, each time with a request. So the chain is uneven under light load and nearly even under heavy load: its busiest node has ${fixed(busiest('chain:15', 'light'), 2)} and ${fixed(busiest('chain:15', 'heavy'), 2)} messages per entry. On the star the centre has ${fixed(most(star) / mean(star), 1)} times the mean, as the manager of A1: it takes part in each message. [A picture of each node](paths.md#q7-in-which-sense-is-a7-symmetric).`,
        `A third sense: interchangeable nodes. In the tree only leaves of one neighbour are, without the one that has the token first; the clients of A1 all are.`,
      ),
      changes:
        'If the tree changed with the requests: in Naimi–Trehel (A8) the load of a node is that of its requests, on a complete network. Locks that ask all, as A3, are even by themselves.',
    };
  },
};

const cells = ({ perNode, expected }) => [
  ...[most, least].map(
    (of) => `${fixed(of(perNode), 2)}${expected ? ` (${fixed(of(expected), 2)})` : ''}`,
  ),
  fixed(gini(perNode), 2),
];
