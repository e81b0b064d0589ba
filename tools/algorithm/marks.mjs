/**
 * What the last test run has shown about each algorithm, as letters, which `conclave list` prints.
 *
 * m  the machine carries every rule of its page k  its properties notice at least 95 % of its
 * mutants, or each remaining mutant has its reason: the part Mutants of its page a  the tests drop an
 * assumption and show what breaks c  the cost formula agrees with runs e  embedded nodes followed
 * every path through small systems; a lock on this protocol gave every entry a larger fencing token
 * x  the explorer searched every interleaving of small systems
 *
 * `npm test` ends with this script and fails if `marks.ts` differs; `npm run marks` writes that
 * file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { catalogue } from '@conclave/algorithms';
import { recordedPages } from './judge.mjs';
import { countsOf, explained, planOf, recorded, recordsOn } from './mutants.mjs';

const file = new URL('../../packages/algorithms/src/marks.ts', import.meta.url);
const report = JSON.parse(
  readFileSync(new URL('../../reports/vitest.json', import.meta.url), 'utf8'),
);
const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);

const records = new Map(
  (await recordedPages(catalogue)).map(({ id, path, subjects }) => {
    const found = recordsOn(path);
    const rows = subjects.flatMap((subject) => {
      const record = found.get(subject.options);
      if (record === undefined) return [];
      const { mutants } = recorded(record, planOf(subject).ids);
      const { complaints } = explained(subject, mutants);
      return [{ score: countsOf(record).score, complaints }];
    });
    return [id, rows];
  }),
);

/** The records of its mutants, with all options. */
const rowsOf = (id) => records.get(id) ?? [];
const isStrong = (rows) =>
  rows.length > 0 &&
  rows.every(({ score, complaints }) => score >= 0.95 || complaints.length === 0);
/** In thousandths, rounded down; −1 without a row. */
const leastScore = (rows) =>
  rows.length === 0 ? -1 : Math.floor(1000 * Math.min(...rows.map(({ score }) => score))) / 1000;

const shown = (least, ...parts) => {
  const about = tests.filter(({ fullName }) => parts.every((part) => fullName.includes(part)));
  return about.length >= least && about.every(({ status }) => status === 'passed');
};
/** The explored system with the most states, and their number. */
const largest = (id, name) => {
  const title = new RegExp(
    `${id} ${name}: .*its properties hold in every interleaving: (.*): ([\\d,]+) states$`,
  );
  const systems = tests.flatMap(({ fullName, status }) => {
    const [, what, states] = (status === 'passed' && title.exec(fullName)) || [];
    return what ? [{ what, states: Number(states.replaceAll(',', '')) }] : [];
  });
  return systems.reduce((most, system) => (system.states > most.states ? system : most), {
    what: '',
    states: 0,
  });
};
const mutants = (id, name) =>
  new Set(
    tests.flatMap(({ fullName, status }) => {
      const [, mutant] = fullName.split(
        'the explorer refutes the mutant, and its nodes replay the trace: ',
      );
      return mutant && status === 'passed' && fullName.startsWith(`${id} ${name}: `)
        ? [mutant]
        : [];
    }),
  ).size;

const quoted = (text) => (text.includes("'") ? JSON.stringify(text) : `'${text}'`);
const lines = catalogue.map(({ id, name, folder }) => {
  const given = {
    m: shown(1, `${folder}: each rule of the page`),
    k: isStrong(rowsOf(id)),
    a: shown(1, `${name} assumptions`),
    c: shown(1, `${name} cost`) && shown(1, `${id} ${name}: `, 'costs what its formula says'),
    x: shown(1, `${id} ${name}: `, 'its properties hold in every interleaving'),
    e:
      shown(2, `${id} ${name}: `, 'embedded nodes take every path') &&
      (folder.startsWith('mutual') ? shown(1, `a lock by ${name} `) : true),
  };
  const letters = Object.keys(given).filter((mark) => given[mark]);
  const { what, states } = largest(id, name);
  const digits = states >= 10_000 ? String(states).replace(/\B(?=(\d{3})+$)/g, '_') : states;
  return `  ${id}: ['${letters.join('')}', ${mutants(id, name)}, ${leastScore(rowsOf(id))}, ${quoted(what)}, ${digits}],\n`;
});
const before = readFileSync(file, 'utf8');
const text = before.replace(/(Row>> = \{\n).*?(?=\};\n)/s, (_, start) => start + lines.join(''));
if (before === text) console.log('marks: up to date');
else if (process.argv.includes('--write')) {
  writeFileSync(file, text);
  console.log(text);
} else {
  console.error(
    `packages/algorithms/src/marks.ts differs from what the tests have shown. Run npm run marks, which writes\n${text}`,
  );
  process.exitCode = 1;
}
