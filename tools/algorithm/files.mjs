/** The repository's files, and the modules of the algorithms by their folders. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Under vitest, modules are those of the sources; else those that were built. */
const [built, extension] = process.env.VITEST ? ['src', 'ts'] : ['dist', 'js'];

const sources = 'packages/algorithms/src';

/** @param {string} path from the root of the repository, as everywhere in this folder */
export const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
export const has = (path) => existsSync(at(path));
export const read = (path) => readFileSync(at(path), 'utf8');

/** @returns {boolean} whether the file was another one before */
export function write(path, text) {
  if (has(path) && read(path) === text) return false;
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
  return true;
}

/** A file in the folder of an algorithm, such as `README.md` in `election/bully`. */
export const fileOf = (folder, name) => `${sources}/${folder}/${name}`;

/** What a module of the algorithms exports, by its path without an ending. */
export const moduleOf = (path) =>
  import(new URL(`../../packages/algorithms/${built}/${path}.${extension}`, import.meta.url).href);

/** What the folder's `checks.ts` exports; nothing where there is none. */
export const checksOf = async (folder) =>
  has(fileOf(folder, 'checks.ts')) ? moduleOf(`${folder}/checks`) : {};

// Generated parts of pages, and the tables in them.

const end = '<!-- end of generated part -->';
const begin = (part) => `<!-- generated: ${part} -->`;

export const hasPart = (page, part) => page.split('\n').some((line) => line.trim() === begin(part));

/** What stands in a generated part of a page. */
export function partOf(page, part) {
  const { lines, first, last } = placeOf(page, part);
  return lines
    .slice(first + 1, last)
    .join('\n')
    .trim();
}

/**
 * `page` with `generated` between the two marker lines of one of its generated parts. A page that is
 * up to date is returned unchanged.
 *
 * @throws a missing or duplicate marker
 */
export function replacePart(page, part, generated) {
  const { lines, first, last } = placeOf(page, part);
  return [...lines.slice(0, first + 1), '', generated.trim(), '', ...lines.slice(last)].join('\n');
}

function placeOf(page, part) {
  const lines = page.split('\n');
  const [first, ...more] = lines.flatMap((line, at) => (line.trim() === begin(part) ? [at] : []));
  if (first === undefined)
    throw new Error(
      `The page has no line '${begin(part)}'. Put '${begin(part)}' and '${end}', each on a line of its own, around the part to be generated.`,
    );
  if (more.length > 0)
    throw new Error(
      `The page has the line '${begin(part)}' more than once (lines ${[first, ...more].map((at) => at + 1).join(', ')}). Leave one of them.`,
    );
  const last = lines.findIndex((line, at) => at > first && /^<!-- (end of )?generated/.test(line));
  if (lines[last]?.trim() !== end)
    throw new Error(
      `The part that begins at line ${first + 1} has no line '${end}'. Put one behind it.`,
    );
  return { lines, first, last };
}

/** In place of what is not known; a table with it says what it means. */
const missing = '–';
const legend = `${missing}: not explored, not measured, or not recorded.`;

const line = (cells) => `| ${cells.join(' | ')} |`;
const isMissing = (cell) =>
  cell === undefined || cell === '' || (typeof cell === 'number' && !Number.isFinite(cell));

/**
 * A Markdown table; below it a legend if something is not known, which is never shown as a value.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly (string | number | undefined)[])[]} rows
 */
export function table(head, rows, align = head.map(() => '---')) {
  const cells = rows.map((row) => row.map((cell) => (isMissing(cell) ? missing : String(cell))));
  const isComplete = !cells.flat().includes(missing);
  return [line(head), line(align), ...cells.map(line), ...(isComplete ? [] : ['', legend])].join(
    '\n',
  );
}

/** With so many digits; undefined for what is not known, and for a quotient of nothing. */
export const fixed = (value, digits) =>
  value === undefined || !Number.isFinite(value) ? undefined : value.toFixed(digits);

/** A part that a reader opens. */
export const folded = (title, ...body) =>
  ['<details>', `<summary>${title}</summary>`, '', body.join('\n\n'), '', '</details>'].join('\n');
