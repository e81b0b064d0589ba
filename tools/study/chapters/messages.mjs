/** D1: messages per entry of each lock, measured and by formula, beside the table of document 002. */

import { command, figure, fixed, listed, page, table } from '../evidence.mjs';
import { isMeasured, linkedName, lockOf, locks, measured } from '../locks.mjs';
import { families, familyOf, linePlot } from '../plots.mjs';

const sizes = [4, 8, 16, 32, 64, 128, 256];
const quickSizes = [4, 8, 16];
/** Those of the tables. */
const shown = new Set([4, 16, 64, 256]);
const kinds = ['light', 'heavy'];

/** Document 002: "Vergleich der Nachrichtenkomplexität". The central manager counts no release. */
const lecture = [
  { claim: 'LeLann (1977)', formula: '1 … ∞', ids: ['A11'] },
  { claim: 'Lamport (1978)', formula: '3(n−1)', ids: ['A2'], value: (n) => 3 * (n - 1) },
  { claim: 'Ricart / Agrawala (1981)', formula: '2(n−1)', ids: ['A3'], value: (n) => 2 * (n - 1) },
  { claim: 'Ricart / Agrawala (1983)', formula: 'n', ids: ['A4'], value: (n) => n },
  { claim: 'Maekawa (1985)', formula: 'O(√n)', ids: ['A12'], value: Math.sqrt, order: '√n' },
  {
    claim: 'van de Snepscheut; Raymond; Naimi–Trehel (1987/89)',
    formula: 'O(log_k n)',
    ids: ['A7', 'A8'],
    value: Math.log2,
    order: 'log₂ n',
  },
  { claim: 'central manager', formula: '2 (3 with the release)', ids: ['A1'], value: () => 3 },
];

export const chapter = {
  name: 'messages',
  title: 'Messages per entry',
  about:
    'D1: the table of document 002, measured beside its formulas, and all other locks of the catalogue.',
  place: 1,
  jobs: ({ quick, seed }) =>
    runsOf(quick).map((run) => ({
      label: `${run.entry.id} on ${run.n} nodes, ${run.load} load`,
      compute: () => costOf(run, seed),
    })),
  page: (costs, { quick, seed }) => {
    const results = runsOf(quick).map((run, place) => ({ ...run, ...costs[place] }));
    return { markdown: text(results, sizesOf(quick), seed), files: plots(results) };
  },
  sample: ({ seed }) => {
    const jobs = lecture.flatMap(({ ids, value }) =>
      ids.flatMap((id) =>
        (value ? kinds : ['heavy']).map((load) => ({ load, entry: lockOf(id), n: 4 })),
      ),
    );
    return jobs.map((job) => `${rowHead(job.entry)} | ${cellOf(costOf(job, seed))} |`);
  },
};

const sizesOf = (quick) => (quick ? quickSizes : sizes);

/** Which lock runs on how many nodes under which load. */
const runsOf = (quick) =>
  kinds.flatMap((load) =>
    locks.flatMap((entry) =>
      sizesOf(quick)
        .filter((n) => isMeasured(entry, n))
        .map((n) => ({ load, entry, n })),
    ),
  );

/** What is kept of a run. */
function costOf({ load, entry, n }, seed) {
  const { cost, network, command } = measured(entry, { n, load, seed });
  return { cost, formula: formulaAt(entry.make(), n, network), network: network.spec, command };
}

function formulaAt({ cost }, n, network) {
  if (!cost) return undefined;
  const { least, most } = cost.messages(n, network);
  return { least, most, average: cost.average?.(n) };
}

const short = (value) =>
  Number.isInteger(value) ? String(value) : value === Infinity ? '∞' : value.toFixed(1);

function formulaText({ least, most, average }) {
  const range = least === most ? short(least) : `${short(least)} … ${short(most)}`;
  return average === undefined ? range : `${short(average)} on average`;
}

const cellOf = ({ cost, formula }) =>
  formula ? `${fixed(cost, 2)} (${formulaText(formula)})` : fixed(cost, 2);

const rowHead = (entry) => `| ${linkedName(entry)} | ${entry.make().cost?.formula ?? 'none given'}`;

function text(results, all, seed) {
  const at = (load, id, n) =>
    results.find((one) => one.load === load && one.entry.id === id && one.n === n);
  const inTables = all.filter((n) => shown.has(n));
  const largest = inTables.at(-1);
  const tables = kinds.map((load) => tableOf(load, inTables, at));
  const entry = lockOf('A3');
  const sample = kinds.map((load) => at(load, entry.id, 16).command);
  return page(
    `Each cell of the tables is a mean over a run of \`simulate\` (seed ${seed}). The number, range or mean in parentheses is the cost of an entry on this network, as the page of the lock gives it. A message takes 1 ms, a stay in the critical section 1 ms. **Light load**: each node pauses n(100 + 4n) ms on average before a request, so that two requests seldom meet. **Heavy load**: each node requests again as soon as it leaves.`,
    'Locks that need a complete network, a star or a ring run on one; locks on trees run on a binary tree, and locks on any connected graph on a grid (2×2, 4×4, 8×8, 16×16). The tables omit locks with runs of a minute or more.',
    '## The table of document 002',
    lectureTable(at, largest),
    lectureText(at, all),
    '## Light load',
    figure('messages-light.svg', 'Messages per entry under light load, by the number of nodes'),
    tables[0],
    lightText(at, largest),
    '## Heavy load',
    figure('messages-heavy.svg', 'Messages per entry under heavy load, by the number of nodes'),
    tables[1],
    heavyText(at, largest),
    '## Measure it again',
    `You can repeat each run of the tables on the command line, such as the two of ${entry.make().title} on 16 nodes; the tables count the messages of the entries, not the messages at the start.`,
    command(...sample),
  );
}

function tableOf(load, inTables, at) {
  const rows = locks.map((entry) => [
    linkedName(entry),
    entry.make().cost?.formula ?? 'none given',
    ...inTables.map((n) => (isMeasured(entry, n) ? cellOf(at(load, entry.id, n)) : undefined)),
  ]);
  return table(['lock', 'by formula', ...inTables.map((n) => `n = ${n}`)], rows);
}

function lectureTable(at, n) {
  const rows = lecture.flatMap(({ claim, formula, ids, value, order }) =>
    ids.map((id) => {
      const [light, heavy] = kinds.map((load) => at(load, id, n).cost);
      return [
        claim,
        formula,
        value ? `${order ? `${order} = ` : ''}${short(value(n))}` : formula,
        linkedName(lockOf(id)),
        fixed(light, 2),
        fixed(heavy, 2),
      ];
    }),
  );
  return table(
    ['document 002', 'it says', `for n = ${n}`, 'here', 'light load', 'heavy load'],
    rows,
  );
}

function lectureText(at, all) {
  const [before, most] = all.slice(-2);
  const light = (id, n) => at('light', id, n).cost;
  const perDoubling = (id) => light(id, most) - light(id, before);
  const exact = ['A1', 'A2', 'A3'].every((id) =>
    kinds.every((load) => {
      const { cost, formula } = at(load, id, most);
      return Math.abs(cost - formula.most) < 1e-9;
    }),
  );
  return page(
    `${exact ? 'Central manager, Lamport and Ricart–Agrawala (1981) cost exactly the numbers of the document, under any load' : 'The exact formulas differ from what was measured'}. Ricart–Agrawala (1983) costs ${fixed(light('A4', most), 2)} at n = ${most} under light load: n, but nothing if the node has the token.`,
    `Maekawa costs 3(K−1) with quorums of K = 2√n − 1 nodes in a grid: ${fixed(light('A12', most) / Math.sqrt(most), 1)}·√n at n = ${most}. In the row O(log_k n), A7 runs on a binary tree and sends two messages for each edge of the path: its cost grows by ${fixed(perDoubling('A7'), 1)} each time that n doubles. A8 has no fixed tree; its cost grows by ${fixed(perDoubling('A8'), 1)}. LeLann's ring costs one message under heavy load. Under light load its token circulates without requests, a message each millisecond: the cost grows with the time between requests, without bound.`,
  );
}

function lightText(at, n) {
  const by = locks
    .filter((entry) => isMeasured(entry, n))
    .map((entry) => ({ entry, cost: at('light', entry.id, n).cost }))
    .sort((a, b) => a.cost - b.cost);
  const names = by
    .slice(0, 4)
    .map(({ entry, cost }) => `${entry.make().title} (${fixed(cost, 2)})`);
  const perpetual = locks.filter((entry) => entry.make().perpetual).map(({ id }) => id);
  return `The cheapest locks at n = ${n} are ${listed(names)}. Locks that send messages without requests (${listed(perpetual)}) cost messages per second, not per entry.`;
}

function heavyText(at, n) {
  const cheaper = locks
    .filter((entry) => isMeasured(entry, n))
    .map((entry) => ({
      entry,
      ratio: at('light', entry.id, n).cost / at('heavy', entry.id, n).cost,
      cost: at('heavy', entry.id, n).cost,
    }))
    .filter(({ ratio, entry }) => ratio > 1.5 && !entry.make().perpetual)
    .sort((a, b) => b.ratio - a.ratio)
    .map(
      ({ entry, cost, ratio }) =>
        `${entry.make().title} (${fixed(cost, 2)}, ${fixed(ratio, 1)} times less)`,
    );
  return `Under heavy load one message serves several requests. These locks are cheaper than under light load at n = ${n}: ${listed(cheaper)}. So are the tokens that circulate without requests.`;
}

function plots(results) {
  return Object.fromEntries(
    kinds.map((load) => {
      const lines = locks.map((entry) => ({
        id: entry.id,
        name: `${entry.id} ${entry.name}`,
        family: familyOf(entry),
        points: results
          .filter((one) => one.load === load && one.entry === entry)
          .map(({ n, cost }) => [n, cost]),
      }));
      const svg = linePlot({
        title: `Messages per entry under ${load} load, by the number of nodes, for ${locks.length} locks`,
        lines,
        families,
        x: { label: 'nodes n (log scale) →', type: 'log', base: 2 },
        y: { label: '↑ messages per entry (log scale)', type: 'log' },
      });
      return [`messages-${load}.svg`, svg];
    }),
  );
}
