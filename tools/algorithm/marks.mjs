/**
 * What the tests have shown about each algorithm, as letters, which `conclave list` prints.
 *
 * m  the machine carries every rule of its page
 * k  its properties notice at least 95 % of its mutants, or each remaining mutant has its reason:
 *    the part Mutants of its page
 * a  the tests drop an assumption and show what breaks
 * c  the cost formula agrees with runs
 * e  embedded nodes followed every path through small systems; a lock on this protocol gave every
 *    entry a larger fencing token
 * x  the explorer searched every interleaving of small systems
 *
 * The evidence stands beside the tests (contract/evidence.contract.ts), and thus in the report of
 * the last run. `npm run verify` runs all tests, ends with this script, and fails if `marks.ts` says
 * more or less than they have shown.
 *
 * --write       writes marks.ts. A row, or a letter, of which the report has no evidence keeps its
 *               value, unless all test files of the algorithms ran
 * --only A3,B1  only these rows
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { catalogue } from '@conclave/algorithms';
import { shownOf } from '../../packages/algorithms/dist/marks.js';
import { recordedPages } from './judge.mjs';
import { countsOf, explained, planOf, recorded, recordsOn } from './mutants.mjs';

const { write, only } = parseArgs({
  options: { write: { type: 'boolean', default: false }, only: { type: 'string' } },
}).values;
const sources = new URL('../../packages/algorithms/src/', import.meta.url);
const file = new URL('marks.ts', sources);
const read = (path) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const { testResults } = read('reports/vitest.json');

const ran = new Set(testResults.map(({ name }) => name));
const isWhole = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .every((path) => ran.has(fileURLToPath(new URL(path, sources))));

/** What passed, and what failed. */
const evidence = testResults.flatMap(({ assertionResults }) =>
  assertionResults.flatMap(({ meta, status }) => {
    if (meta?.evidence === undefined) return [];
    const holds = status === 'passed';
    return holds || status === 'failed' ? [{ ...meta.evidence, holds }] : [];
  }),
);

/** By the id: the score of each set of options, and whether each mutant that passes has its reason. */
const judged = new Map(
  (await recordedPages(catalogue)).map(({ id, path, subjects }) => {
    const records = recordsOn(path);
    const rows = subjects.flatMap((subject) => {
      const record = records.get(subject.options);
      if (record === undefined) return [];
      const { complaints } = explained(subject, recorded(record, planOf(subject).ids).mutants);
      return [{ score: countsOf(record).score, isExplained: complaints.length === 0 }];
    });
    return [id, rows];
  }),
);
const rowsOf = (id) => judged.get(id);
const isStrong = (rows) =>
  rows.length > 0 && rows.every(({ score, isExplained }) => score >= 0.95 || isExplained);
/** In thousandths, rounded down; −1 without a row. */
const leastScore = (rows) =>
  rows.length === 0 ? -1 : Math.floor(1000 * Math.min(...rows.map(({ score }) => score))) / 1000;

/** The row of an algorithm as marks.ts has it. */
function rowBefore(id) {
  const { marks, mutants = 0, score = -1, largest = { what: '', states: 0 } } = shownOf(id);
  return [marks, mutants, score, largest.what, largest.states];
}

function shown({ id, name, folder }) {
  const [marks, mutants, , what, states] = rowBefore(id);
  const of = (kind) => evidence.filter((one) => one.of === name && one.kind === kind);
  /** Undefined: the report does not say. */
  const holds = (kind, least = 1) => {
    const all = of(kind);
    if (all.length === 0 && !isWhole) return undefined;
    return all.length >= least && all.every(({ holds }) => holds);
  };
  const both = (...all) => (all.includes(undefined) ? undefined : all.every(Boolean));
  const given = {
    m: holds('rules'),
    k: isStrong(rowsOf(id)),
    a: holds('assumption'),
    c: both(holds('cost'), holds('formula')),
    x: holds('explored'),
    e: both(holds('paths', 2), !folder.startsWith('mutual') || holds('lock')),
  };
  const letters = Object.keys(given).filter((mark) => given[mark] ?? marks.includes(mark));
  const systems = of('explored').filter(({ holds }) => holds);
  const largest = systems.reduce(
    (most, { system, states }) => (states > most[1] ? [system, states] : most),
    ['', 0],
  );
  const refuted = new Set(of('mutant').flatMap(({ holds, mutant }) => (holds ? [mutant] : [])));
  return [
    letters.join(''),
    of('mutant').length === 0 && !isWhole ? mutants : refuted.size,
    leastScore(rowsOf(id)),
    ...(systems.length === 0 && !isWhole ? [what, states] : largest),
  ];
}

/** Numbers of five digits and more with separators, as biome wants them. */
const rowText = (row) =>
  JSON.stringify(row).replace(/\d{5,}(?=\]$)/, (states) =>
    Number(states).toLocaleString('en').replaceAll(',', '_'),
  );

const chosen = only?.split(',');
const unknown = chosen?.filter((id) => !catalogue.some((entry) => entry.id === id)) ?? [];
if (unknown.length > 0) throw new Error(`No algorithm has the id ${unknown.join(', ')}`);
const rows = catalogue.map((entry) => {
  const before = rowBefore(entry.id);
  const isChosen = chosen === undefined || chosen.includes(entry.id);
  return { id: entry.id, before, now: isChosen ? shown(entry) : before };
});
const stale = rows.filter(({ before, now }) => JSON.stringify(before) !== JSON.stringify(now));

if (stale.length === 0) console.log('marks: up to date');
else if (write) {
  const text = rows.map(({ id, now }) => `  ${id}: ${rowText(now)},\n`).join('');
  const before = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    before.replace(/(Row>> = \{\n).*?(?=\};\n)/s, (_, start) => start + text),
  );
  const root = fileURLToPath(new URL('../..', import.meta.url));
  execFileSync('npx', ['biome', 'check', '--write', fileURLToPath(file)], { cwd: root });
}
for (const { id, before, now } of stale)
  console[write ? 'log' : 'error'](
    `${id}: ${JSON.stringify(before)} becomes ${JSON.stringify(now)}`,
  );
if (stale.length > 0 && !write) {
  console.error('marks.ts differs from what the tests show. Run npm run marks, which writes it.');
  process.exitCode = 1;
}
