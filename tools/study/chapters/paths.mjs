/** D2, D3, Q7 and Q10: A7 on chain, star and k-ary trees. */
import { simulate } from '@conclave/core/simulation';
import { star } from '@conclave/core/topology';
import { command, figure, fixed, page, table } from '../evidence.mjs';
import { handled, lockOf, measured } from '../locks.mjs';
import { loadPlot, pathPlot } from '../plots.mjs';
import {
  decimalOf,
  fraction,
  fractionText,
  gini,
  isSame,
  lightLoads,
  meanByEdges,
  pathsByWalks,
  shapes,
} from '../trees.mjs';

const raymond = lockOf('A7');
/** Of the tables; the first is that on which each pair of nodes is tried. */
const sizes = [16, 64, 256];
const quickSizes = [8, 16];

export const chapter = {
  name: 'paths',
  title: 'Paths, and the load of nodes in trees',
  about: 'D2, D3, Q7 and Q10: A7 on a chain, a star and k-ary trees; on a star beside A1.',
  place: 2,
  jobs: ({ quick, seed }) =>
    [pathsPart, heavyPart, loadPart, starPart].map((part) => ({
      compute: () => part(quick ? quickSizes : sizes, seed, quick),
    })),
  page: (parts) => ({
    markdown: page(
      'The lock A7 (van de Snepscheut, Raymond) sends a request along the tree to the token, and the token comes back on the same path. A message takes 1 ms, a stay in the critical section 1 ms.',
      ...parts.map(({ text }) => text),
    ),
    files: Object.assign({}, ...parts.map(({ files }) => files)),
  }),
  sample: ({ seed }) => [
    ...shapes.map((shape) => line(exactCells(shape, sizes[0]).cells)),
    ...shapes.map((shape) => line(heavyCells(shape, sizes[0], seed))),
  ],
};

const line = (cells) => `| ${cells.join(' | ')} |`;
const withValue = (mean) =>
  mean.below === 1 ? fractionText(mean) : `${fractionText(mean)} = ${fixed(decimalOf(mean), 3)}`;

/** What document 002 says of the mean path: exact, or its order. */
const formulas = {
  chain: { text: '(n+1)/3', exact: (n) => fraction(n + 1, 3) },
  'binary tree': { text: 'O(log₂ n)', order: Math.log2 },
  '4-ary tree': { text: 'O(log₄ n)', order: (n) => Math.log2(n) / 2 },
  star: { text: '2 − 2/n', exact: (n) => fraction(2 * n - 2, n) },
};

/** Shape, size, longest and mean path, and what the document says. */
function exactCells({ name, of }, n) {
  const network = of(n);
  const { longest, mean } = pathsByWalks(network);
  if (!isSame(mean, meanByEdges(network)))
    throw new Error(`The mean path of ${network.spec} differs.`);
  const { text, exact, order } = formulas[name];
  const says = exact ? `${text} = ${fractionText(exact(n))}` : `${text}: ${fixed(order(n), 1)}`;
  return { mean, cells: [name, n, longest, withValue(mean), says] };
}

/** The mean path of all entries of a run under light load, and in parentheses what is expected. */
function lightCell({ of }, n, mean, seed) {
  const run = { n, topology: of(n), load: 'light', entries: Math.ceil(4096 / n), seed };
  const expected = (decimalOf(mean) * (n - 1)) / n;
  return `${fixed(measured(raymond, run).cost / 2, 2)} (${fixed(expected, 2)})`;
}

/** The mean path of a request over all pairs of holder and requester, each tried in a run. */
function meanOfRuns(network) {
  let edges = 0;
  for (const holder of network.nodes)
    for (const node of network.nodes) {
      if (node === holder) continue;
      const { messages } = simulate({
        protocol: raymond.make({ holder }),
        topology: network,
        workload: ({ tell }) => {
          tell(node, { type: 'acquire' });
          return () => {};
        },
      });
      edges += messages.request;
    }
  const n = network.nodes.length;
  return fraction(edges, n * (n - 1));
}

function pathsPart(all, seed, quick) {
  const [small] = all;
  const means = shapes.map(
    ({ name, of }) => `${fixed(decimalOf(meanByEdges(of(all.at(-1)))), 1)} (${name})`,
  );
  const rows = shapes.flatMap((shape) =>
    all.map((n) => {
      const { mean, cells } = exactCells(shape, n);
      const runs = n === small ? withValue(meanOfRuns(shape.of(n))) : undefined;
      return [...cells, lightCell(shape, n, mean, seed), runs];
    }),
  );
  const text = page(
    '## D2: path lengths',
    figure(
      'paths-mean.svg',
      'Mean path between two nodes of a chain, of k-ary trees and of a star, by the number of nodes',
    ),
    table(
      [
        'tree',
        'n',
        'longest path',
        'mean path, exact',
        'document 002',
        'A7, light load (expected)',
        'A7, each pair',
      ],
      rows,
    ),
    `**Exact**: over all pairs of different nodes, by walks from each node, and once more by edges; both give the same fraction. **Each pair**: A7 runs once for each holder and each requester, and the chapter counts the requests: the fraction is the same. **Light load**: half of the messages of an entry. In this run each node requests equally often, also the node with the token: the expected value is the exact mean times (n−1)/n.`,
    `On the chain the mean is (n+1)/3, as the document calculates; on the star it is 2 − 2/n. On a k-ary tree it grows with log n: ${all.at(-1)} nodes are ${means.join(', ')} edges apart on average.`,
  );
  return { text, files: { 'paths-mean.svg': pathPlot(quick ? 64 : 1024) } };
}

const variants = [
  { head: 'A7', options: {} },
  { head: '`piggyback`', options: { piggyback: true } },
  { head: '`greedy=1`', options: { greedy: 1 } },
];

const heavyRun = ({ of }, n, options, seed) =>
  measured(raymond, { n, topology: of(n), load: 'heavy', entries: 16, options, seed });

const heavyCells = (shape, n, seed) => [
  ...[shape.name, n],
  ...variants.map(({ options }) => fixed(heavyRun(shape, n, options, seed).cost, 2)),
  fixed((4 * (n - 1)) / n, 2),
];

function heavyPart(all, seed) {
  const rows = shapes.flatMap((shape) => all.map((n) => heavyCells(shape, n, seed)));
  const text = page(
    '## D3: heavy load',
    'The table has the messages per entry if each node requests again as soon as it leaves, 16 times. Document 002 says that the token traverses the whole tree, 2(n−1) token messages and as many requests for n entries, about 4 per entry.',
    table(['tree', 'n', ...variants.map(({ head }) => head), '4(n−1)/n'], rows),
    heavyText(rows),
    command(heavyRun(shapes[0], all[0], {}, seed).command),
  );
  return { text, files: {} };
}

/** What the table of heavy load shows; its columns are those of {@link heavyCells}. */
function heavyText(rows) {
  const numbers = rows.map((row) => row.map(Number));
  const ratios = numbers.map(([, , plain, , , says]) => plain / says);
  const saved = numbers.map(([, , plain, piggyback]) => 100 * (1 - piggyback / plain));
  const [least, most] = [Math.min(...saved), Math.max(...saved)].map((value) => fixed(value, 0));
  const halves = numbers.map(([, , plain, , greedy]) => (100 * greedy) / plain);
  const [fewest, largest] = [Math.min(...halves), Math.max(...halves)];
  return page(
    `The measured cost is ${fixed(100 * Math.min(...ratios), 0)} to ${fixed(100 * Math.max(...ratios), 0)} % of 4(n−1)/n, whatever the shape of the tree: under heavy load even a chain costs about 4. One message for the token and the request that follows it (\`piggyback\`) saves ${least} to ${most} %: most on the chain, least on the star, where the token comes to a leaf without another request.`,
    `With \`greedy=1\` a node may enter once more before the others. An entry then costs ${fixed(fewest, 0)} to ${fixed(largest, 0)} % of the cost of A7 without options: each node requests again at once, so the token serves two entries at each node.`,
  );
}

/** What each node sends and receives for an entry, in the order of the nodes. */
const loadsOf = (result) =>
  handled(result).map((messages) => messages / result.exclusion.entries.length);

function spread(values, network) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const most = Math.max(...values);
  const place = values.indexOf(most);
  return [fixed(mean, 2), fixed(most / mean, 2), network.nodes[place], fixed(gini(values), 2)];
}

function loadPart(all, seed) {
  const [n] = all;
  const runs = shapes.map((shape) => {
    const network = shape.of(n);
    const of = (load) => {
      const run = { n, topology: network, load, entries: 64, seed };
      return loadsOf(measured(raymond, run).result);
    };
    const exact = [...lightLoads(network).values()].map(decimalOf);
    return { ...shape, network, exact, light: of('light'), heavy: of('heavy') };
  });
  const others = ['A1', 'A8', 'A3'].map((id) => {
    const of = (load) => measured(lockOf(id), { n, load, entries: 64, seed });
    const network = of('heavy').network;
    return {
      name: `${id}, ${network.spec}`,
      network,
      light: loadsOf(of('light').result),
      heavy: loadsOf(of('heavy').result),
    };
  });
  const rows = [...runs, ...others].map(({ name, network, exact, light, heavy }) => [
    name,
    ...spread(light, network),
    exact ? fixed(gini(exact), 2) : undefined,
    ...spread(heavy, network),
  ]);
  const head = ['per entry', 'busiest / mean', 'busiest', 'Gini'];
  const text = page(
    '## Q7: in which sense is A7 symmetric?',
    figure(
      'paths-load.svg',
      `Messages that each of ${n} nodes handles for an entry of A7, on a chain, two k-ary trees and a star`,
    ),
    `The load of a node is the number of messages that it sends and receives, divided by the entries of all nodes. There are ${n} nodes. In the picture a dash is the expected value under light load; in the table the first columns are for light load, the last for heavy load.`,
    table(['tree', ...head, 'Gini, exact', ...head], rows),
    'All nodes run the same statechart, so A7 is symmetric in its text. Its load is not: an edge with s nodes behind it carries s(n−s) of all n(n−1)/2 pairs, so nodes in the middle work for the others. Under heavy load n entries use each edge once in each direction, and the load of a node is proportional to the number of its neighbours: then a chain is nearly even, and the centre of a star still handles half of all messages.',
  );
  return { text, files: { 'paths-load.svg': loadPlot(runs, n) } };
}

function starPart(all, seed) {
  const runOf = (id, n, load) => {
    const topology = star(n);
    const nodes = topology.nodes.slice(1);
    return measured(lockOf(id), { n, topology, load, entries: Math.ceil(1024 / n), nodes, seed });
  };
  const figures = ({ result, cost }) => {
    const { meanWait, synchronisationDelay } = result.exclusion;
    const [centre] = loadsOf(result);
    return [fixed(cost, 2), fixed(meanWait, 1), fixed(synchronisationDelay, 2), fixed(centre, 2)];
  };
  const rows = all.flatMap((n) =>
    ['A1', 'A7'].map((id) => [
      ...[id, n],
      ...figures(runOf(id, n, 'light')),
      ...figures(runOf(id, n, 'heavy')),
    ]),
  );
  const head = ['messages', 'wait, ms', 'hand-over, ms', 'at the centre'];
  const text = page(
    '## Q10: A7 on a star beside the central manager',
    'The centre does not compete: in A1 it is the manager, and in A7 it passes the token on. The columns give messages per entry, mean wait, synchronisation delay, and the messages per entry that the centre handles: first under light load, then under heavy load.',
    table(['lock', 'n', ...head, ...head], rows),
    'A7 on a star resembles the central manager: the centre has the queue, and each message goes through it. The token stays where it was used last and has to be fetched: 4 messages in place of 3, and none if the same node enters again; so A7 is cheaper only if a node often enters twice in a row. Under heavy load both hand over in two messages, and nodes wait equally long. The weakness of the manager stays: the centre handles every message. There are two differences: in A7 the centre is a node like the others and may compete, and the tree may have any other shape.',
    command(...['A1', 'A7'].map((id) => runOf(id, all[0], 'light').command)),
  );
  return { text, files: {} };
}
