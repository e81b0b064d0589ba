/** The steps of `npm run algorithm` that need what was built. */
import { readdirSync } from 'node:fs';
import { catalogue } from '@conclave/algorithms';
import { at, fileOf, has, read, write } from './files.mjs';
import { pageFiles, sharedFiles, stale } from './generated.mjs';
import { hasPart } from './parts.mjs';
import { isLock } from './tables.mjs';

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
        ...(chosen.some(isLock) ? [`${source}/facade/lock/every-lock.test.ts`] : []),
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
