/** Q8 and Q9: the elections B12 and B10. */
import { always, everyStep } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
import { electedInRandomOrders } from '../../algorithm/random-orders.mjs';
import {
  checked,
  command,
  entryOf,
  explored,
  fixed,
  linked,
  number,
  page,
  table,
  trace,
  verdictText,
  violationOf,
} from '../evidence.mjs';
import { harmonic, toNumber } from '../harmonic.mjs';

// Q8: messages and termination of B12.

const networks = ['ring', 'tree', 'grid', 'complete'];
const specOf = {
  ring: 'two-way-ring:16',
  tree: 'tree:2:16',
  grid: 'grid:4x4',
  complete: 'complete:16',
};
const forms = [{}, { terminating: true }];

/** What a candidate with the largest id could go by, and whether the election is over then. */
const largest = 'c';
const knowsWhenAllDo = always(
  'where the largest id is a candidate, all nodes know it',
  ({ nodes }) =>
    !nodes.some(({ id, tags }) => id === largest && tags.has('candidate')) ||
    nodes.every(({ context }) => context.max === largest),
);
const staysTheSame = everyStep(
  'no message changes the state of that candidate',
  ({ before, after, cause }) =>
    cause.kind !== 'message' ||
    before.id !== largest ||
    !before.tags.has('candidate') ||
    JSON.stringify([before.value, before.context]) === JSON.stringify([after.value, after.context]),
);

const bounds = ({ n, e, k }) => [k * (2 * e - n + 1), 2 * k * e + n - 1];

export const q8 = {
  id: 'Q8',
  of: ['B12'],
  asks: 'How many messages does extinction by flooding take? Does it terminate?',
  run: ({ quick }) => {
    const orders = quick ? 10 : 200;
    const rows = networks.map((name) => {
      const network = topology(specOf[name]);
      const [n, e] = [network.nodes.length, network.links.length / 2];
      const [one, all] = [1, n].map((starters) =>
        forms.map((options) =>
          electedInRandomOrders(entryOf('B12').make(options), network, starters, orders),
        ),
      );
      return { spec: network.spec, n, e, one, all };
    });
    const systems = ['chain:3', 'complete:3', ...(quick ? [] : ['chain:4', 'star:4'])];
    const found = systems.map((spec) => checked('B12', spec, { options: { terminating: true } }));
    const blind = explored('B12', 'complete:3', { properties: [knowsWhenAllDo, staysTheSame] });
    const [early] = blind.violated;
    const cannotKnow = blind.violated.length === 1 && early.name === knowsWhenAllDo.name;
    const n = 16;
    const noted = toNumber(harmonic(n));
    const complete = n * (n - 1 + (noted - 1) * (n - 2));
    return {
      answer: `At most k(2e − n + 1) for k candidates, exactly 2e − n + 1 for one candidate; on average far fewer, since a node passes on only records. The messages end, but ${cannotKnow ? 'no node can know when' : 'see below when'}; with an echo wave for each candidate all nodes learn the end, for at most 2ke + n − 1 messages.`,
      evidence: page(
        `The table has the messages on 16 nodes, as a mean over ${orders} random orders of the ids with its 95 % interval; parentheses contain the bound.`,
        table(
          ['network', 'one starts, plain', '`terminating`', 'all start, plain', '`terminating`'],
          rows.map(({ spec, n, e, one, all }) => [
            `\`${spec}\``,
            ...[one, all].flatMap((results, index) =>
              results.map(
                ({ messages }, form) =>
                  `${messages} (${number(bounds({ n, e, k: index === 0 ? 1 : n })[form])})`,
              ),
            ),
          ]),
        ),
        command(
          'npx conclave simulate B12 --topology complete:16',
          'npx conclave simulate B12 --topology complete:16 --option terminating=true',
        ),
        `A node passes on only [records](records.md): on average H(n) of n ids in random order, its own first, so ${fixed(noted, 2)} of 16. On the complete graph this makes n(n−1) + n(H(n) − 1)(n−2) = ${fixed(complete, 0)} messages.`,
        `**Termination.** The state of the candidate with the largest id is the same before and after the others have heard of this candidate: ${cannotKnow ? `on three nodes no message changes it (${number(blind.states)} states)` : 'not so on three nodes'}, and a run reaches it in ${early.steps} step, when nobody else knows the candidate:`,
        trace(early.text),
        table(
          ['`terminating`', 'states', 'properties'],
          found.map((one) => [`\`${one.spec}\``, number(one.states), verdictText(one)]),
        ),
        command(found.at(-1).command),
      ),
      changes: `If messages took bounded time, and nodes knew the diameter of the network, a long silence would show the end. ${linked('B12')} shows why a rule about received ids is wrong.`,
    };
  },
};

// Q9: contention in B10.

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
      answer: `${holds ? 'Yes' : 'No'}: each run has at most one such channel, since a node asks a neighbour only when all its other neighbours are its children. ${each ? 'But this may be any channel' : 'And some never see it'}.`,
      evidence: page(
        'If two nodes have asked each other, all others have a parent. The explorer searches all trees of up to 5 nodes; any node may start:',
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
      changes: `Random waits end the contention, with probability 1 if the short and the long wait differ enough: ${linked('B10')} has the exact times. On a network with a cycle the algorithm does not end: each node of the cycle keeps two neighbours that are not its children.`,
    };
  },
};
