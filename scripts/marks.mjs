/**
 * What the last test run has shown of each algorithm, as letters: `conclave list` prints them.
 *
 * m  the machine carries every rule of its page    k  at least three known-wrong mutants are refuted
 * a  an assumption was dropped, and what breaks    c  the cost formula was held against runs
 * e  embedded nodes went every way through the small systems
 * x  the explorer went through every interleaving of small systems
 *
 * `npm test` ends with this script and fails when `marks.ts` says otherwise; `npm run marks` writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { catalogue } from '@conclave/algorithms';

const file = new URL('../packages/algorithms/src/marks.ts', import.meta.url);
const report = JSON.parse(readFileSync(new URL('../reports/vitest.json', import.meta.url), 'utf8'));
const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);

const shown = (least, ...parts) => {
  const about = tests.filter(({ fullName }) => parts.every((part) => fullName.includes(part)));
  return about.length >= least && about.every(({ status }) => status === 'passed');
};
const marks = Object.fromEntries(
  catalogue.map(({ id, name, folder }) => {
    const given = {
      m: shown(1, `${folder}: each rule of the page`),
      k: shown(3, `${id} ${name}: `, 'refutes the mutant'),
      a: shown(1, `${name} assumptions`),
      c: shown(1, `${name} cost`) && shown(1, `${id} ${name}: `, 'costs what its formula says'),
      x: shown(1, `${id} ${name}: `, 'keeps its promises in every interleaving'),
      e: shown(2, `${id} ${name}: `, 'embedded nodes go every way'),
    };
    return [id, Object.keys(given).filter((mark) => given[mark])];
  }),
);
const line = (id) => `  ${id}: [${marks[id].map((mark) => `'${mark}'`).join(', ')}],\n`;
const text = `/** What the tests have shown of each algorithm; written by \`npm run marks\`, where the letters are explained. */
const marks: Readonly<Record<string, readonly string[]>> = {
${Object.keys(marks).map(line).join('')}};

/** The marks of the algorithm with this id, such as \`m\`, \`k\`, \`c\`; none for one the tests do not know. */
export const marksOf = (id: string): readonly string[] => marks[id] ?? [];
`;
const before = readFileSync(file, 'utf8');
if (before === text) console.log('marks: as the tests have shown');
else if (process.argv.includes('--write')) {
  writeFileSync(file, text);
  console.log(text);
} else {
  console.error(`packages/algorithms/src/marks.ts does not say what the tests have shown. Run npm run marks. It would read\n${text}`);
  process.exitCode = 1;
}
