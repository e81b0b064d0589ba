/** Q1, Q2, Q7 and Q10: the lock A7 of van de Snepscheut and Raymond, beside others. */
import { explore } from '@conclave/check';
import { overtaking } from '@conclave/check/internal';
import { everyStep } from '@conclave/core/protocol';
import { topology } from '@conclave/core/topology';
import { assign } from 'xstate';
import { moduleOf } from '../../algorithm/files.mjs';
import {
  checked,
  command,
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
import { handled, measured } from '../locks.mjs';
import { decimalOf, gini, lightLoads, pathsByWalks } from '../trees.mjs';

// Q1: messages that overtake each other in A7.

const { machine } = await moduleOf('mutual-exclusion/token/raymond/raymond');

/** All trees of 2, 3 and 4 nodes, with the token at each place: the first node has it. */
const trees = [
  'chain:2',
  'chain:3',
  'tree:2:3',
  'chain:4',
  'tree:2:4',
  'star:4',
  'edges:a-b,b-c,b-d',
];

/** A neighbour that has the token, or gets it first, requests it only after it has passed it on. */
const noneOvertakes = everyStep(
  'no request overtakes the token',
  ({ before, cause }) =>
    cause.kind !== 'message' ||
    cause.message.type !== 'request' ||
    cause.from !== before.context.holder,
);

/** A node that takes such a request for an error. */
const dismissing = machine.provide({
  actions: {
    enqueue: assign(({ context, event }) =>
      event.from === context.holder ? {} : { queue: [...context.queue, event.from] },
    ),
  },
});

export const q1 = {
  id: 'Q1',
  of: ['A7'],
  asks: 'Are messages that overtake each other a problem, such as a request that overtakes the token?',
  run: ({ quick }) => {
    const specs = quick ? trees.slice(0, 3) : trees;
    const rows = specs.map((spec) => ({
      any: checked('A7', spec, { commands: 2, order: 'any' }),
      fifo: checked('A7', spec, { commands: 2, order: 'fifo' }),
    }));
    const holds = rows.every(({ any, fifo }) => any.violated.length + fifo.violated.length === 0);
    const [overtaken, fifo] = ['any', 'fifo'].map((order) =>
      explored('A7', 'chain:2', { order, properties: [noneOvertakes] }),
    );
    const dismissed = violationOf(
      explored('A7', 'chain:2', { commands: 2, order: 'any', machine: dismissing }),
      names.entry,
    );
    const twice = checked('A7', 'chain:3', { duplications: 1 });
    const total = (order) => number(rows.reduce((sum, row) => sum + row[order].states, 0));
    return {
      answer: `${holds ? 'No' : 'Yes'}. If a request arrives before the token, it waits in the same queue as in any other order, and the token finds it there.`,
      evidence: page(
        `The explorer checks all properties on every tree of up to 4 nodes, with two entries of each node and the token at each place: ${total('any')} states in any order, ${total('fifo')} with FIFO.`,
        table(
          ['tree', 'states, any order', 'states, FIFO', 'properties'],
          rows.map(({ any, fifo }) => [
            `\`${any.spec}\``,
            number(any.states),
            number(fifo.states),
            verdictText(any),
          ]),
        ),
        command(rows.at(-1).any.command),
        `A request does overtake the token, in ${overtaken.violated[0].steps} steps${fifo.violated.length === 0 ? ', and never with FIFO' : ''}. Node b gets a request from the neighbour that it believes to have the token:`,
        trace(overtaken.violated[0].text),
      ),
      changes: `If a node dismissed a request from the neighbour to which its HOLDER points, the sender would wait forever, after ${dismissed.steps} steps on two nodes. If messages could be duplicated, a second token would break exclusion on three nodes, after ${violationOf(twice, names.exclusion).steps} steps (\`${twice.command}\`). ${linked('A7')} has more.`,
    };
  },
};

// Q2: fairness of A7.

const exploredTrees = ['chain:2', 'chain:3', 'chain:4', 'star:4'];
const simulatedTrees = ['chain:15', 'star:15', 'tree:2:15', 'tree:4:15'];

const diameter = (network) => pathsByWalks(network).longest;

/** In exact time, where messages take one unit and a stay takes `stay` units. */
const exactTime = (stay) => ({ kind: 'exact', delay: [1, 1], stays: { critical: [stay, stay] } });

const overtakingOn = (spec, options) =>
  overtaking(entryOf('A7').make(), topology(spec), { order: 'fifo', ...options });

/** Of each entry: how often others, and one other, entered since its request. */
function passedBy(entries) {
  const sorted = entries.toSorted((a, b) => a.enteredAt - b.enteredAt);
  return sorted.map(({ node, requestedAt, enteredAt }, place) => {
    const counts = new Map();
    for (let at = place - 1; at >= 0 && sorted[at].enteredAt > requestedAt; at--)
      if (sorted[at].node !== node && sorted[at].enteredAt < enteredAt)
        counts.set(sorted[at].node, (counts.get(sorted[at].node) ?? 0) + 1);
    return {
      all: [...counts.values()].reduce((sum, count) => sum + count, 0),
      one: Math.max(0, ...counts.values()),
    };
  });
}

const entriesEach = 40;
/** In ms. */
const slowest = 20;
const delay = { kind: 'uniform', least: 1, most: slowest };

/** Under heavy load, where a message takes up to 20 ms and a stay `hold` ms. */
function simulated(spec, hold, seed) {
  const network = topology(spec);
  const { result, command } = measured(entryOf('A7'), {
    ...{ topology: network, n: network.nodes.length, load: 'heavy', seed, delay },
    ...{ entries: entriesEach, hold: { kind: 'fixed', ms: hold } },
  });
  const passed = passedBy(result.exclusion.entries);
  const mean = passed.reduce((sum, { all }) => sum + all, 0) / passed.length;
  const most = (key) => Math.max(...passed.map((one) => one[key]));
  return { mean, all: most('all'), one: most('one'), command };
}

export const q2 = {
  id: 'Q2',
  of: ['A7'],
  asks: 'Does the FIFO queue of a node guarantee fairness? How many others can be served between my request and my entry?',
  run: ({ quick, seed }) => {
    const specs = quick ? exploredTrees.slice(0, 2) : exploredTrees;
    const rows = specs.map((spec) => explorations(spec));
    const networks = quick ? simulatedTrees.slice(0, 2) : simulatedTrees;
    const runs = networks.map((spec) => {
      const longest = diameter(topology(spec));
      return {
        spec,
        longest,
        short: simulated(spec, 1, seed),
        long: simulated(spec, slowest * longest + 1, seed),
      };
    });
    const live = checked('A7', specs.at(-1), { commands: 2, order: 'any' });
    const starves = violationOf(live, names.entry) !== undefined;
    const once = rows.every(({ longer, n }) => longer.ofOne === 1 && longer.ofAll === n - 1);
    const twice = rows.every(({ equal }) => equal.ofOne > 1);
    return {
      answer: `${starves ? 'It does not even exclude starvation' : 'Nobody starves, but there is no bound'}: while my request, or a request that a node sends for me, is on its way, others enter as often as they like. ${once ? 'If a stay in the critical section takes longer than a message across the tree, each other node enters at most once before me, n − 1 entries in all' : 'See the table for bounds in time'}.`,
      evidence: page(
        `The explorer finds the largest number of entries between a request and its entry: of one other node, and of all others together. Untimed, a message takes any time, and all k entries of each of the n − 1 others may come first. In exact time a message takes 1, a stay in the critical section s; D is the longest path.`,
        table(
          ['network', 'D', 'untimed, k = 1', 'k = 2', 'k = 3', 's = D', 's = D + 1'],
          rows.map(({ spec, longest, untimed, equal, longer }) => [
            `\`${spec}\``,
            longest,
            ...untimed.map(overtakingText),
            overtakingText(equal),
            overtakingText(longer),
          ]),
        ),
        `The largest system has ${number(Math.max(...rows.flatMap(({ untimed, equal, longer }) => [...untimed, equal, longer]).map(({ states }) => states)))} states. In exact time each node enters twice; with at most three nodes, three times. ${twice ? 'With s = D one other node enters twice before me, since its second request is as fast as mine.' : ''}`,
        `The simulation runs 15 nodes under heavy load. A message takes 1 to ${slowest} ms, and a critical section 1 ms, or more than ${slowest}·D ms. The table has the entries of others between request and entry: the mean, the most, and the most of one node.`,
        table(
          [
            'network',
            'D',
            'short stays: mean',
            'most',
            'of one',
            'long stays: mean',
            'most',
            'of one',
          ],
          runs.map(({ spec, longest, short, long }) => [
            `\`${spec}\``,
            longest,
            ...[short, long].flatMap(({ mean, all, one }) => [fixed(mean, 2), all, one]),
          ]),
        ),
        command(live.command, runs.at(-1).short.command, runs.at(-1).long.command),
        fairnessText(runs),
      ),
      changes:
        'With `greedy: k` a node enters before its turn, at most k times in a row. A single queue, as in A1, serves all requests in the order of arrival; even there, others can overtake a request in flight.',
    };
  },
};

function explorations(spec) {
  const network = topology(spec);
  const n = network.nodes.length;
  const longest = diameter(network);
  const commands = n > 3 ? 2 : 3;
  const [equal, longer] = [longest, longest + 1].map((stay) =>
    overtakingOn(spec, { commands, time: exactTime(stay) }),
  );
  const untimed = [1, 2, 3].map((each) => overtakingOn(spec, { commands: each }));
  return { spec, n, longest, untimed, equal, longer };
}

/** How often one other node overtook, and all others. */
const overtakingText = ({ ofOne, ofAll }) => `${ofOne}, ${ofAll}`;

function fairnessText(runs) {
  const more = runs.filter(({ short }) => short.one > 1).map(({ spec }) => `\`${spec}\``);
  return more.length === 0
    ? 'In these runs no node passes another twice.'
    : `On ${listed(more)} with short stays, some node enters more than once while another waits: the token finds that node nearby while the other’s request still travels.`;
}

// Q7: the symmetry of A7.

const measuredTrees = ['chain:15', 'tree:2:15', 'tree:4:15', 'star:15'];
const loads = ['light', 'heavy'];
const otherLocks = [
  ['A1', 'star:15'],
  ['A3', 'complete:15'],
];

/** Messages that each node sends and receives, per entry. */
function loadsOn(id, spec, { load, seed, entries }) {
  const network = topology(spec);
  const n = network.nodes.length;
  const { result, command } = measured(entryOf(id), { topology: network, n, load, seed, entries });
  const count = result.exclusion.entries.length;
  const perNode = handled(result).map((messages) => messages / count);
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
    const rows = measuredTrees.map((spec) => ({
      spec,
      runs: loads.map((load) => ({
        ...loadsOn('A7', spec, { load, ...given }),
        expected: expectedLoads(topology(spec), load),
      })),
    }));
    const compared = otherLocks.map(([id, spec]) => ({
      name: `${linked(id)}, \`${spec}\``,
      runs: loads.map((load) => loadsOn(id, spec, { load, ...given })),
    }));
    const roles = Object.keys(entryOf('A7').make().roles).length;
    const perNode = (spec, load) =>
      rows.find((row) => row.spec === spec).runs[loads.indexOf(load)].perNode;
    const busiest = (spec, load) => most(perNode(spec, load));
    const star = perNode('star:15', 'heavy');
    return {
      answer: `${roles === 1 ? 'The algorithm is symmetric in syntax: all nodes run the same statechart' : 'Not even in syntax'}. It is not symmetric in load: the load depends on the place in the tree. Under heavy load a node has 4·degree/n messages per entry; under light load the messages grow with the number of paths through the node.`,
      evidence: page(
        'The table counts the messages that the busiest and the least busy of 15 nodes send and receive per entry: measured, and by formula in parentheses. Gini’s coefficient of the load is 0 if all nodes have the same load.',
        table(
          ['network', ...loads.flatMap((load) => [`${load} load: most`, 'least', 'Gini'])],
          [
            ...rows.map(({ spec, runs }) => [`\`${spec}\``, ...runs.flatMap(cells)]),
            ...compared.map(({ name, runs }) => [name, ...runs.flatMap(cells)]),
          ],
        ),
        command(...rows.at(-1).runs.map(({ command }) => command)),
        `Under light load, a request and the token cross an edge with s nodes behind it in 2s(n−s) of n² entries. Under heavy load, the token goes round the tree, and crosses each edge twice for n entries, each time with a request. So the chain is uneven under light load and nearly even under heavy load: its busiest node has ${fixed(busiest('chain:15', 'light'), 2)} and ${fixed(busiest('chain:15', 'heavy'), 2)} messages per entry. On the star, the centre has ${fixed(most(star) / mean(star), 1)} times the mean, like the manager of A1: it takes part in each message. [A picture of each node](paths.md#q7-in-which-sense-is-a7-symmetric).`,
        `In a third sense, an algorithm is symmetric if its nodes are interchangeable. In the tree only the leaves of one neighbour are interchangeable, except the first holder of the token; in A1 all clients are interchangeable.`,
      ),
      changes:
        'The load would be even if the tree changed with the requests: in Naimi–Trehel (A8), on a complete network, the load of a node depends only on its requests. Locks that ask all nodes, such as A3, have an even load.',
    };
  },
};

const cells = ({ perNode, expected }) => [
  ...[most, least].map(
    (of) => `${fixed(of(perNode), 2)}${expected ? ` (${fixed(of(expected), 2)})` : ''}`,
  ),
  fixed(gini(perNode), 2),
];

// Q10: A7 on a star beside the central manager A1.

const ids = ['A1', 'A7'];
const largeStar = 'star:16';
const smallStar = 'star:4';

/** The first node is the centre. Clients of A1 compete; in A7 its centre may, too. */
const [centre, leaf] = topology(smallStar).nodes;

const isIdle = ({ tags }) => !tags.has('waiting') && !tags.has('critical');
/** Only in A7 the last user keeps the token; in A1 it has left all behind. */
const hasToken = { A1: () => false, A7: ({ tags }) => tags.has('token') };

/** The node, and the state in which it may crash; undefined where that state does not exist. */
const crashes = [
  [
    'an idle leaf without the token',
    (id) => (node) => node.id === leaf && isIdle(node) && !hasToken[id](node),
  ],
  [
    'an idle leaf with the token',
    (id) =>
      id === 'A7' ? (node) => node.id === leaf && isIdle(node) && hasToken[id](node) : undefined,
  ],
  [
    'a leaf that waits',
    () =>
      ({ id, tags }) =>
        id === leaf && tags.has('waiting'),
  ],
  [
    'a leaf inside',
    () =>
      ({ id, tags }) =>
        id === leaf && tags.has('critical'),
  ],
  ['the idle centre', () => (node) => node.id === centre && isIdle(node)],
];

/** What a crash of this node breaks. */
function afterCrash(id, mayCrash) {
  if (!mayCrash) return { states: 0, text: 'no such state' };
  const { states, complete, properties } = explore(entryOf(id).make(), topology(smallStar), {
    ...{ crashes: 1, atomicSteps: true, mayCrash },
  });
  if (!complete) throw new Error(`${id}: the search ended at a limit.`);
  const verdictOf = (name) => properties.find((one) => one.name === name).verdict;
  const isSafe = verdictOf('at most one node is in the critical section') === 'holds';
  const isLive = verdictOf('no node waits in a quiescent state') === 'holds';
  return { states, text: `${isSafe ? 'safe' : '**unsafe**'}, ${isLive ? 'live' : '**not live**'}` };
}

function runOnStar(id, load, { seed, entries, nodes }) {
  const network = topology(largeStar);
  const { cost, result, command } = measured(entryOf(id), {
    ...{ topology: network, n: 16, load, seed, entries, nodes },
  });
  const counts = handled(result);
  const { entries: all, overtaken, synchronisationDelay } = result.exclusion;
  return {
    cost,
    handOver: synchronisationDelay,
    overtaken: (100 * overtaken) / all.length,
    share: (100 * counts[0]) / counts.reduce((sum, count) => sum + count, 0),
    command,
  };
}

export const q10 = {
  id: 'Q10',
  of: ['A7', 'A1'],
  asks: 'What is the difference between A7 on a star and the central manager A1, and what was bad about the manager?',
  run: ({ quick, seed }) => {
    const given = { seed, entries: quick ? 5 : 100 };
    const [manager, token] = ids.map((id) => loads.map((load) => runOnStar(id, load, given)));
    const [light, heavy] = token.map(({ cost }) => cost);
    const alone = ids.flatMap((id) =>
      loads.map((load) => runOnStar(id, load, { ...given, nodes: [leaf] })),
    );
    const rows = crashes.map(([who, where]) => [
      who,
      ...ids.map((id) => afterCrash(id, where(id))),
    ]);
    const states = rows.flatMap(([, ...found]) => found.map((one) => one.states));
    const n = 16;
    return {
      answer: `In A7 the centre is not a manager: like every node it queues requests and passes the token on, and the token stays with its last user. So a node enters again without messages. A7 costs ${fixed(light, 2)} messages per entry under light load and ${fixed(heavy, 2)} under heavy load; A1 costs ${fixed(manager[0].cost, 0)}. The weakness of the manager remains: every message passes the centre, and its crash stops all nodes.`,
      evidence: page(
        `The measurements are on \`${largeStar}\`; a message takes 1 ms.`,
        table(
          ['', `${linked('A1')}: light`, 'heavy', `${linked('A7')}: light`, 'heavy'],
          [
            ['messages per entry', ...[...manager, ...token].map(({ cost }) => fixed(cost, 2))],
            [
              'by formula',
              '3',
              '3',
              `4((n−1)/n)² = ${fixed(4 * ((n - 1) / n) ** 2, 2)}`,
              `4(n−1)/n = ${fixed((4 * (n - 1)) / n, 2)}`,
            ],
            ['one leaf alone, again and again', ...alone.map(({ cost }) => fixed(cost, 2))],
            [
              'hand-over, in ms',
              ...[...manager, ...token].map(({ handOver }) => fixed(handOver, 2)),
            ],
            [
              'entries overtaken',
              ...[...manager, ...token].map(({ overtaken }) => `${fixed(overtaken, 1)} %`),
            ],
            [
              'messages with the centre at one end',
              ...[...manager, ...token].map(({ share }) => `${fixed(2 * share, 0)} %`),
            ],
          ],
        ),
        command(...manager.map(({ command }) => command), ...token.map(({ command }) => command)),
        `The table shows the effect of one crash, explored on \`${smallStar}\` with an entry of each node (up to ${number(Math.max(...states))} states):`,
        table(
          ['crash of', 'A1', 'A7'],
          rows.map(([who, ...found]) => [who, ...found.map(({ text }) => text)]),
        ),
        '[Waits and loads of both](paths.md#q10-a7-on-a-star-beside-the-central-manager). So A7 on a star tolerates less: an idle node may crash with the token. Only the manager knows enough to serve requests in the order of their arrival, to refuse a request, to number its grants, and to name the node inside.',
      ),
      changes:
        'If one node enters many times in a row, A7 is cheaper. If the network has no star, A7 needs no new links, and the centre of any tree has less to do: [Q7](q7.md).',
    };
  },
};
