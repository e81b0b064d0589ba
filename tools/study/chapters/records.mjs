/** D4: the exercise on records of document 002, and the paths of ids in B3. */

import { protocolOf } from '@conclave/algorithms';
import { oneShot, Random, Simulation } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { command, fixed, listed, number, page, table } from '../evidence.mjs';
import {
  exactCells,
  fishermanText,
  frequenciesText,
  generatorText,
  MinimalStandard,
  macroExperiment,
  macros,
  meanCatch,
  meanNumber,
  oneTo,
  ponds,
  probabilityOf,
  simulatedText,
} from '../fisherman.mjs';
import {
  commonDivisor,
  digitsOf,
  fraction,
  harmonic,
  harmonicFraction,
  sum,
  times,
  toNumber,
  whole,
} from '../harmonic.mjs';
import { runningMeans } from '../plots.mjs';

const [pond, lake, sea] = ponds;

/** How many fishermen a macro-experiment has. */
const experiments = (quick) =>
  quick
    ? [
        { n: pond, singles: pond },
        { n: pond, singles: 10 * pond },
        { n: lake, singles: 10_000 },
        { n: sea, singles: 10_000 },
      ]
    : [
        { n: pond, singles: pond },
        { n: pond, singles: 100 * pond },
        { n: lake, singles: lake },
        { n: sea, singles: 10 ** 6 },
      ];

export const chapter = {
  name: 'records',
  title: 'Records',
  about:
    'D4: the fisherman of the exercise sheet, the first true record, and why B3 costs n·H_n messages.',
  place: 4,
  jobs: ({ quick, seed }) => [
    ...experiments(quick).flatMap((one) =>
      oneTo(macros).map((macro) => ({
        label: `${one.n} fish, ${macro} of ${macros}`,
        compute: () => {
          const random = new Random(seed).fork(`${one.n} fish, ${one.singles} men, ${macro}`);
          return macroExperiment({ ...one, looks: looksUpTo(one.singles) }, random);
        },
      })),
    ),
    {
      label: 'the minimal standard',
      compute: () => {
        const { singles } = experiments(quick).findLast(({ n }) => n === pond);
        return minimalStandard(singles * macros, seed);
      },
    },
    {
      label: 'all orders of ids',
      compute: () => rings.map((n) => ({ n, ...extinctionPaths(n) })),
    },
  ],
  page: (found, { quick }) => {
    const results = experiments(quick).map((one, index) => ({
      ...one,
      runs: found.slice(index * macros, (index + 1) * macros),
    }));
    const counted = [pond, lake, sea].map((fish) => results.findLast(({ n }) => n === fish));
    const [standard, paths] = found.slice(-2);
    return {
      markdown: text(results, counted, standard, paths),
      files: {
        'records-means.svg': runningMeans(
          results.find(({ n }) => n === lake).runs.map(({ means }) => means),
          { n: lake, expected: meanNumber(lake) },
        ),
      },
    };
  },
  sample: () => [
    ...ponds.map((n) => row(exactCells(n))),
    ...[2, 3, 4].map((n) => row(pathCells({ n, ...extinctionPaths(n) }))),
  ],
};

/** 100, …, 10^6 in equal steps of their logarithms. */
const looksUpTo = (most) =>
  oneTo(73)
    .map((step) => Math.round(10 ** ((step + 11) / 12)))
    .filter((look) => look >= 100 && look <= most);

function minimalStandard(singles, seed) {
  const random = new MinimalStandard(seed + 1);
  return macroExperiment({ n: pond, singles }, random);
}

const row = (cells) => `| ${cells.join(' | ')} |`;

const twoOrders = [
  ['a', 'b', 'c'],
  ['c', 'b', 'a'],
];

function text(results, counted, standard, paths) {
  return page(
    'Exercise sheet 4 of document 002 asks for the time until a record. The answers are exact; simulated fishermen stand beside them, since the exercise allows doubt.',
    fishermanText(),
    simulatedText(results),
    frequenciesText(counted, standard),
    generatorText(counted[0], standard),
    firstRecordText(),
    pathsText(paths),
    '## Compute it again',
    `Three ids have two orders on a ring. The simulator counts ${twoOrders.map(messagesOn).join(' and ')} messages \`election\` there, 11/2 on average.`,
    command(
      'npm run study -- --only records',
      ...twoOrders.map((ids) => `npx conclave simulate B3 --topology ring:${ids.join(',')}`),
    ),
  );
}

// The sections of the chapter on records about first records, and the paths of ids.

/** The sizes of the rings whose orders are all tried. */
const rings = [2, 3, 4, 5, 6];

function firstRecordText() {
  const given = (n) => times(harmonic(n - 1), n, n - 1);
  const rows = [100, 1000].map((n) => [
    `${number(n)} years`,
    digitsOf(given(n), 10),
    digitsOf(meanCatch(n), 10),
    `1/${number(n)}`,
    fraction(probabilityOf(3, n)),
    `1/${number(100 * 99)}`,
  ]);
  const people = 8 * 10 ** 9;
  const [century, millennium] = [100, 1000].map((n) => toNumber(given(n)));
  return page(
    '## 2. The first true record',
    'The first January is not a true record. The first true record falls on year k if the coldest of k − 1 years was the first, and year k is colder: P = 1/(k−1) − 1/k = **1/(k(k−1))**.',
    table(
      [
        'in',
        'mean year of the first record, if there is one',
        'mean wait until a record or the end',
        'no record',
        'year 3',
        'year 100',
      ],
      rows,
    ),
    `**(a), (b)** In a century this record is due in year ${fixed(century, 2)} on average, in a millennium in year ${fixed(millennium, 2)}. The two means may differ, although each single year has the same probability in both, and half of all first records come in year 2. A millennium also counts the late records that a century cuts off; they are so late that the mean grows with ln n without bound.`,
    `**(c)** Year 3: 1/6, in a century and in a millennium. Year 100: 1/9,900. After year 100, in a millennium: 1/100 − 1/1,000 = 9/1,000; with probability 1/1,000 there is no record.`,
    `**(d)** You are the first fish. Among n people, you meet H(n−1) on average until one is taller than you, or until you have met all. This is ${digitsOf(harmonic(people - 1), 2)} for ${number(people)} people, and every second walk ends with the first person. You are the tallest with probability 1/n, and then you meet n − 1 people: this case adds (n−1)/n, nearly one person, to the mean however large n is. You cannot neglect this case. Without it ${digitsOf(sum(harmonic(people - 1), whole(-1)), 2)} are left, and among infinitely many people the mean would be infinite.`,
  );
}

/** How many of the n·n! paths have length k, if the formula holds. */
const expectedCount = ({ n, orders }, k) =>
  k < n ? (n * orders) / (k * (k + 1)) : (n * orders) / n;

const asTheFormula = (ring) =>
  ring.counts.every((count, index) => count === expectedCount(ring, index + 1));

function pathCells(ring) {
  const { n, orders, counts } = ring;
  const total = counts.reduce((all, count, index) => all + count * (index + 1), 0);
  const [p, q] = harmonicFraction(n);
  return [
    n,
    number(orders),
    ...rings.map((k) => k - 1).map((k) => cellOf(counts[k - 1], n * orders)),
    cellOf(counts[rings.at(-1) - 1], n * orders),
    asTheFormula(ring) ? 'all' : '**not all**',
    fraction(lowest(BigInt(total), BigInt(orders))),
    fraction(lowest(BigInt(n) * p, q)),
  ];
}

const cellOf = (count, total) =>
  count === undefined ? ' ' : fraction(lowest(BigInt(count), BigInt(total)));

function lowest(p, q) {
  const divisor = commonDivisor(p, q);
  return [p / divisor, q / divisor];
}

function pathsText(paths) {
  const all = paths.every(asTheFormula);
  const orders = paths.reduce((total, ring) => total + ring.orders, 0);
  return page(
    '## 3. How far ids get in LeLann–Chang–Roberts',
    `In [B3](../../packages/algorithms/src/election/lelann-chang-roberts/README.md) each id travels until it meets a larger one. So the id is the fisherman, and the nodes ahead are his fish: its path has length k with probability **1/(k(k+1))**, and n, the whole ring, with probability **1/n**. The table counts the steps of each message \`election\` in runs of the protocol, one for each order of the ids on rings of ${listed(rings.map(String))} nodes, ${number(orders)} in all.`,
    table(
      [
        'n',
        'orders',
        ...rings.map((k) => `length ${k - 1}`),
        `length ${rings.at(-1)}`,
        'as the formula says',
        'mean messages',
        'n·H_n',
      ],
      paths.map(pathCells),
    ),
    `${all ? 'All counts agree with the formula' : 'Some counts differ from the formula'}. A path has length 1/(1·2) + 2/(2·3) + … + (n−1)/((n−1)·n) + n/n = H_n on average, and there are n paths: hence **n·H_n** messages until the decision. The mean catch is 1 + H(n−1), and an id takes H(n) = H(n−1) + 1/n steps: one less than the catch, since the id itself is the first fish; and one more for the largest id, since it must return to its node.`,
  );
}

// How far the id of each node gets in LeLann–Chang–Roberts (B3), where all nodes start.

const protocol = protocolOf('B3');

/** All orders of some items. */
export function* ordersOf(items) {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries())
    for (const rest of ordersOf(items.toSpliced(index, 1))) yield [item, ...rest];
}

/** By id: how many nodes its message `election` reaches on the ring of these ids. */
function pathsOn(ids) {
  const simulation = new Simulation({
    ...{ protocol, topology: ring(ids) },
    workload: oneShot({ type: 'elect' }),
  });
  const lengths = new Map(ids.map((id) => [id, 0]));
  simulation.messages$.subscribe(({ message: { type, id } }) => {
    if (type === 'election') lengths.set(id, lengths.get(id) + 1);
  });
  const { complete } = simulation.run();
  if (!complete) throw new Error(`${ids}: the election did not end.`);
  return lengths;
}

/** How many messages `election` a ring of these ids takes. */
export const messagesOn = (ids) => [...pathsOn(ids).values()].reduce((sum, one) => sum + one, 0);

/**
 * The lengths of the paths of all ids in all orders on rings of `n` nodes.
 *
 * @returns {{ orders: number, counts: readonly number[] }} `counts[k − 1]`: how many have length k
 */
export function extinctionPaths(n) {
  const counts = Array.from({ length: n }, () => 0);
  let orders = 0;
  for (const ids of ordersOf(ring(n).nodes)) {
    orders++;
    for (const length of pathsOn(ids).values()) counts[length - 1]++;
  }
  return { orders, counts };
}
