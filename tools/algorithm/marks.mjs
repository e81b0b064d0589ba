/** The marks of each algorithm: which tests its folder has, with the contracts that these call. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { at, fileOf, has, read } from './files.mjs';

const suite = (what) => new RegExp(`describe\\(\\s*['\`][^'\`]*\\b${what}s?\\b`);
const calls = (contract) => new RegExp(`^ *${contract}\\(`, 'm');

/** By letter: what it says, and whether the texts of an algorithm's tests give it. */
const marks = {
  m: {
    meaning: 'each rule of its page has a test, and stands in the machine',
    has: ({ tests, rules }) => rules.every((rule) => tests.includes(`[${rule}]`)),
  },
  k: {
    meaning:
      'its properties notice its mutants, or each that passes has its reason: `mutants.json`',
    has: ({ folder }) => has(fileOf(folder, 'mutants.json')),
  },
  a: {
    meaning: 'a suite of *assumptions* drops one, and shows what breaks',
    has: ({ tests }) => suite('assumption').test(tests),
  },
  c: {
    meaning: 'a suite of its *cost*, and its contract, compare the cost formula with runs',
    has: ({ tests }) => suite('cost').test(tests) && tests.includes('costs what its formula says'),
  },
  x: {
    meaning: 'the explorer searches every interleaving of small systems',
    has: ({ tests }) => calls('everyInterleaving').test(tests),
  },
  e: {
    meaning: 'embedded nodes take every path through small systems',
    has: ({ tests }) => calls('hostsAgree').test(tests),
  },
};

/** The text of a test file, with those of the contracts that it imports. */
function textOf(path, known = new Set()) {
  known.add(path);
  const text = read(path);
  const contracts = [...text.matchAll(/from '(\..*\.contract)\.js'/g)]
    .map(([, contract]) => join(dirname(path), `${contract}.ts`))
    .filter((contract) => !known.has(contract));
  return [text, ...contracts.map((contract) => textOf(contract, known))].join('\n');
}

function marksOf(folder) {
  const tests = readdirSync(at(fileOf(folder, '.')))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => textOf(fileOf(folder, name)))
    .join('\n');
  const page = read(fileOf(folder, 'README.md'));
  const rules = [...page.matchAll(/^\| ([A-Z]+\d+) \|/gm)].map(([, rule]) => rule);
  return Object.keys(marks).filter((mark) => marks[mark].has({ folder, tests, rules }));
}

/** The marks that an algorithm has, and what would give it the others. */
export function marksReport({ id, folder }) {
  const given = marksOf(folder);
  const missing = Object.entries(marks).filter(([mark]) => !given.includes(mark));
  return [
    `${id}: marks ${given.join('') || 'none'}`,
    ...missing.map(([mark, { meaning }]) => `  ${mark}  ${meaning}`),
  ];
}

export const marksText = (all) => `/**
 * What the tests of each algorithm show, by its id. \`npm run algorithm\` writes this file.
 *
${Object.entries(marks)
  .map(([mark, { meaning }]) => ` * - \`${mark}\`: ${meaning}\n`)
  .join('')} *
 * \`npm run verify\` tells whether these tests pass.
 */
export const marks: Readonly<Record<string, string>> = {
${all.map(({ id, folder }) => `  ${id}: '${marksOf(folder).join('')}',\n`).join('')}};
`;
