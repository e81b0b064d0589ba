/** All files that are generated, wholly or in part, for some or all algorithms. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lockSpeedText, performanceText, resultsPage } from '../bench/results.mjs';
import { at, fileOf, has, read } from './files.mjs';
import { linkPage } from './link.mjs';
import { lists } from './lists.mjs';
import { listsBeside, mutantsPart } from './mutants.mjs';
import { pageParts, readmePicture } from './pages.mjs';
import { hasPart, partOf, replacePart } from './parts.mjs';
import { tables, tableText } from './tables.mjs';

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
