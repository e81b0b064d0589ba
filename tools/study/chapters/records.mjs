/** D4: the exercise on records of document 002, and the paths of ids in B3. */
import { Random } from '@conclave/core/simulation';
import { MinimalStandard, macroExperiment, oneTo } from '../fisherman.mjs';
import {
  exactCells,
  fishermanText,
  frequenciesText,
  generatorText,
  macros,
  meanNumber,
  ponds,
  simulatedText,
} from '../fisherman-text.mjs';
import { command, page } from '../markdown.mjs';
import { runningMeans } from '../mean-plot.mjs';
import { extinctionPaths, messagesOn } from '../paths-of-ids.mjs';
import { firstRecordText, pathCells, pathsText, rings } from '../record-text.mjs';

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
    'Exercise sheet 4 of document 002 asks how long one waits for a record. The answers are exact; fishermen are simulated beside them, since the exercise allows doubt.',
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
