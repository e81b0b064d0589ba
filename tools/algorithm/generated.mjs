/**
 * All files that are generated, wholly or in part, for some or all algorithms, and what an
 * algorithm needs for that: its page with the markers of its parts, and its tests. The test of this
 * folder and `npm run algorithm` use the same functions, so that what one writes the other accepts.
 */
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

/** The pages that may compare algorithms: those with a marker do. */
const sharedPages = () => [
  ...pagesIn('.'),
  ...pagesIn('docs'),
  'packages/algorithms/README.md',
  fileOf('mutual-exclusion/causal-fairness', 'README.md'),
];

/** The parts of pages that tell what the benchmark has measured, by their markers. */
const measuredParts = { performance: performanceText, 'speed of locks': lockSpeedText };

/**
 * The pages that compare algorithms, by file. Of their tables only the rows of the algorithms
 * `changed`, and those that are missing, are made anew.
 */
export async function sharedFiles(changed) {
  const files = {};
  const results = JSON.parse(read('tools/bench/results.json'));
  for (const path of sharedPages()) {
    const before = read(path);
    let text = before;
    for (const part of Object.keys(tables)) {
      if (!hasPart(text, part) || !isTable(path, part)) continue;
      const given = { page: path, before: partOf(text, part), changed };
      text = replacePart(text, part, await tableText(part, given));
    }
    const measured = Object.entries(measuredParts).filter(([part]) => hasPart(text, part));
    for (const [part, textOf] of measured) text = replacePart(text, part, textOf(results, path));
    if (text !== before || measured.length > 0) files[path] = text;
  }
  const linkMutants = mutantsPart(listsBeside(linkPage), linkPage);
  return {
    ...files,
    [linkPage]: replacePart(read(linkPage), 'mutants', linkMutants),
    'tools/bench/results.md': resultsPage(results),
    'docs/ricart-agrawala.svg': readmePicture(),
  };
}

/** Not on the page of an algorithm, where the same marker is that of its specification. */
const isTable = (path, part) => part !== 'npm run generate' || !path.includes('/src/');

/** The files, with their texts, that are missing or have another text now. */
export const stale = (files) =>
  Object.entries(files).filter(([path, text]) => !has(path) || read(path) !== text);

// The steps of `npm run algorithm` that need what was built.

const source = 'packages/algorithms/src';

/** A sentence for each id or name that no algorithm has. */
export const unknownIn = (names) =>
  names
    .filter((name) => !catalogue.some((entry) => isNamed(entry, name)))
    .map(
      (name) =>
        `There is no algorithm '${name}': no ${source}/<family>/<name>/entry.ts has a protocol of this id or name`,
    );

/** The algorithms with these ids or names; all if none is given. */
export const chosenOf = (names) =>
  catalogue.filter((entry) => names.length === 0 || names.some((name) => isNamed(entry, name)));

const isNamed = ({ id, name }, wanted) =>
  id.toLowerCase() === wanted.toLowerCase() || name === wanted.toLowerCase();

const markers = ['run', 'npm run generate', 'mutants'];

/** A sentence for each thing that is missing in the folder of an algorithm. */
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

/** The tests of these algorithms, and the tests of all algorithms that judge them as well. */
export const testsOf = (chosen) =>
  chosen.length === catalogue.length
    ? [source]
    : [
        ...chosen.map(({ folder }) => `${source}/${folder}/`),
        `${source}/rules.test.ts`,
        ...(chosen.some(isLock) ? ['packages/coordination/src/lock/every-lock.test.ts'] : []),
      ];

/**
 * Writes the generated files of these algorithms that are stale, or only names them; their paths.
 */
export async function writeFiles(chosen, isCheck) {
  const paths = [];
  const writeStale = (files) => {
    for (const [path, text] of stale(files)) {
      paths.push(path);
      if (!isCheck) write(path, text);
      console.log(`${isCheck ? 'out of date' : 'written'}: ${path}`);
    }
  };
  for (const entry of chosen) writeStale(await pageFiles(entry));
  writeStale(await sharedFiles(chosen));
  return paths;
}
