/** Q9: contention in B10. */
import { always } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
import {
  checked,
  command,
  entryOf,
  explored,
  linked,
  number,
  page,
  table,
  trace,
  violationOf,
} from '../evidence.mjs';

const trees = [
  'chain:2',
  'chain:3',
  'chain:4',
  'star:4',
  'chain:5',
  'edges:a-b,b-c,b-d,d-e',
  'star:5',
];

const claim = 'at most two nodes have asked each other';

/** The one neighbour that a node which has asked is left with. */
const lastOf = ({ context: { neighbours, children } }) =>
  neighbours.filter((id) => !children.includes(id))[0];

const haveAsked = (system, one, other) => {
  const [a, b] = [system.node(one), system.node(other)];
  return [a, b].every(({ tags }) => tags.has('asking')) && lastOf(a) === other && lastOf(b) === one;
};

/** The shortest run in which these two ask each other. */
const contentionOf = (spec, { from, to }) =>
  explored('B10', spec, {
    properties: [
      always(`${from} and ${to} never ask each other`, (system) => !haveAsked(system, from, to)),
    ],
  }).violated[0];

export const q9 = {
  id: 'Q9',
  of: ['B10'],
  asks: 'Is it true that at most one channel can see contention?',
  run: ({ quick }) => {
    const specs = quick ? trees.slice(0, 3) : trees;
    const found = specs.map((spec) => checked('B10', spec));
    const declared = entryOf('B10')
      .make()
      .properties.some(({ name }) => name === claim);
    const holds = declared && found.every((one) => violationOf(one, claim) === undefined);
    const edges = specs.slice(0, quick ? 2 : 4).map((spec) => {
      const links = topology(spec).links.filter(({ from, to }) => from < to);
      return { spec, links, runs: links.map((link) => contentionOf(spec, link)) };
    });
    const each = edges.every(({ runs }) => runs.every(Boolean));
    const first = edges.at(0).runs[0];
    return {
      answer: `${holds ? 'Yes' : 'No'}, in each run at most one, since a node asks the one neighbour that is left, and all behind it are its descendants then. ${each ? 'But it may be any one of them' : 'And some never see it'}.`,
      evidence: page(
        'If two nodes have asked each other, all others have a parent. Explored on all trees of up to 5 nodes, where any node may start:',
        table(
          ['tree', 'states', claim, 'channels that see contention in some run'],
          found.map((one, index) => [
            `\`${one.spec}\``,
            number(one.states),
            violationOf(one, claim) ? '**violated**' : 'holds',
            edges[index] &&
              `${edges[index].runs.filter(Boolean).length} of ${edges[index].links.length}`,
          ]),
        ),
        command(found.at(-1).command),
        `The shortest contention, in ${first.steps} steps:`,
        trace(first.text),
      ),
      changes: `Contention ends by drawn waits, with probability 1 if these differ enough: exact times are on the page of ${linked('B10')}. On a network with a cycle the algorithm does not end: no node of the cycle is ever left with one neighbour.`,
    };
  },
};
