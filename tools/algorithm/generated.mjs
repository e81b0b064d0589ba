/** All files that are generated, wholly or in part, for some or all algorithms. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '@conclave/algorithms';
import { lockSpeedText, performanceText, resultsPage } from '../bench/results.mjs';
import { at, fileOf, has, hasPart, partOf, read, replacePart, write } from './files.mjs';
import { lists } from './lists.mjs';
import { linkPage, listsBeside, mutantsPart } from './mutants.mjs';
import { pageParts, readmePicture } from './pages.mjs';
import { isLock, tables, tableText } from './tables.mjs';

export { lists };

/** The page of an algorithm with its generated parts, and its pictures, by file. */
export async function pageFiles(entry) {
  const path = fileOf(entry.folder, 'README.md');
  const { parts, pictures } = await pageParts(entry);
  const page = Object.entries(parts).reduce(
    (text, [part, generated]) => replacePart(text, part, generated),
    read(path),
  );
  return { [path]: page, ...pictures };
}

const pagesIn = (folder) =>
  readdirSync(at(folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

/** The pages that compare algorithms, wherever the markers of their parts are. */
const shared = () => [
  ...pagesIn('.'),
  ...pagesIn('docs'),
  'packages/algorithms/README.md',
  fileOf('mutual-exclusion/causal-fairness', 'README.md'),
];

/** The parts of pages that tell what the benchmark has measured. */
const ofResults = { performance: performanceText, 'speed of locks': lockSpeedText };

/**
 * The pages that compare algorithms, by file: the rows of `changed` are made anew, and all that are
 * missing.
 */
export async function sharedFiles(changed) {
  const files = {};
  const results = JSON.parse(read('tools/bench/results.json'));
  for (const path of shared()) {
    const before = read(path);
    let text = before;
    for (const part of Object.keys(tables)) {
      if (!hasPart(text, part) || !isTable(path, part)) continue;
      const given = { page: path, before: partOf(text, part), changed };
      text = replacePart(text, part, await tableText(part, given));
    }
    const measured = Object.entries(ofResults).filter(([part]) => hasPart(text, part));
    for (const [part, textOf] of measured) text = replacePart(text, part, textOf(results, path));
    if (text !== before || measured.length > 0) files[path] = text;
  }
  const ofLink = mutantsPart(listsBeside(linkPage), linkPage);
  return {
    ...files,
    [linkPage]: replacePart(read(linkPage), 'mutants', ofLink),
    'tools/bench/results.md': resultsPage(results),
    'docs/ricart-agrawala.svg': readmePicture(),
  };
}

/** On the page of an algorithm, this marker is that of its specification. */
const isTable = (path, part) => part !== 'npm run generate' || !path.includes('/src/');

/** Of these files, those whose text is another one. */
export const stale = (files) =>
  Object.entries(files).filter(([path, text]) => !has(path) || read(path) !== text);

// The steps of `npm run algorithm` that need what was built.

const source = 'packages/algorithms/src';

/** Those of these ids or names that no algorithm has, in sentences. */
export const unknownIn = (names) =>
  names
    .filter((name) => !catalogue.some((entry) => is(entry, name)))
    .map(
      (name) =>
        `There is no algorithm '${name}': no ${source}/<family>/<name>/entry.ts has a protocol of this id or name`,
    );

/** Of these ids or names; all without any. */
export const chosenOf = (names) =>
  catalogue.filter((entry) => names.length === 0 || names.some((name) => is(entry, name)));

const is = ({ id, name }, wanted) =>
  id.toLowerCase() === wanted.toLowerCase() || name === wanted.toLowerCase();

const markers = ['run', 'npm run generate', 'mutants'];

/** What is missing in its folder, in sentences. */
export function missingIn({ id, name, folder }) {
  const path = (file) => fileOf(folder, file);
  if (!has(path('entry.ts')))
    return [`${id}: its entry.ts says that its folder is ${folder}, where no entry.ts is`];
  if (!has(path('README.md'))) return [`${id}: there is no page ${path('README.md')}`];
  const page = read(path('README.md'));
  const tests = readdirSync(at(path('.'))).filter((file) => file.endsWith('.test.ts'));
  return [
    ...markers
      .filter((marker) => !hasPart(page, marker))
      .map(
        (marker) =>
          `${path('README.md')}: there is no part '<!-- generated: ${marker} -->', '<!-- end of generated part -->'`,
      ),
    ...(tests.length === 0 ? [`${name}: its folder has no tests`] : []),
  ];
}

/** The tests of these algorithms, and those of all algorithms that judge them. */
export const testsOf = (chosen) =>
  chosen.length === catalogue.length
    ? [source]
    : [
        ...chosen.map(({ folder }) => `${source}/${folder}/`),
        `${source}/rules.test.ts`,
        ...(chosen.some(isLock) ? ['packages/coordination/src/lock/every-lock.test.ts'] : []),
      ];

/** Writes all that is generated for these algorithms, unless it is only compared. */
export async function writeFiles(chosen, isCheck) {
  const names = [];
  const settle = (files) => {
    for (const [path, text] of stale(files)) {
      names.push(path);
      if (!isCheck) write(path, text);
      console.log(`${isCheck ? 'out of date' : 'written'}: ${path}`);
    }
  };
  for (const entry of chosen) settle(await pageFiles(entry));
  settle(await sharedFiles(chosen));
  return names;
}
