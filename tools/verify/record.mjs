/**
 * What is recorded: the table in docs/verified-systems.md, whose counts are those that are expected, and the
 * rows that an interrupted run has finished.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { at, has, read, write } from '../algorithm/files.mjs';
import { nameOf } from './systems.mjs';

const page = 'docs/verified-systems.md';
const finished = 'reports/verified.jsonl';
const marks = ['<!-- verified: begin -->', '<!-- verified: end -->'];
const number = (text) => Number(text?.replaceAll(',', ''));

/** The rows of docs/verified-systems.md by their names: each as it stands there, and its numbers. */
export function recordedRows() {
  const lines = read(page).split('\n');
  return new Map(
    lines
      .filter((line) => /^\| .* \| [\d,]+ \| [\d,]+ \| \d+ \| /.test(line))
      .map((line) => {
        const [system, options, ...numbers] = line.slice(2).split(' | ');
        const [states, transitions, depth, seconds, peak] = numbers.map(number);
        const expected = { states, transitions, depth };
        return [nameOf({ system, options }), { line, expected, seconds, peak }];
      }),
  );
}

/** What searched and what was searched, as a digest: results of other programs are not resumed. */
function programs() {
  const digest = createHash('sha256');
  for (const folder of [
    'packages/core/dist/',
    'packages/check/dist/',
    'packages/algorithms/dist/',
  ]) {
    const files = readdirSync(at(folder), { recursive: true }).filter((file) =>
      /\.(js|wasm)$/.test(file),
    );
    for (const file of files.sort()) digest.update(file).update(readFileSync(at(folder + file)));
  }
  return digest.digest('hex');
}

/**
 * What an earlier run found, by the row; without `resume` nothing, and the next rows are kept in a
 * new file.
 */
export function finishedRows(chosen, resume) {
  const begun = programs();
  const [first, ...rest] = resume && has(finished) ? read(finished).split('\n') : [];
  if (first !== begun) {
    if (resume) console.log('There are no finished rows of these programs: all rows are searched.');
    write(finished, `${begun}\n`);
    return new Map();
  }
  const found = new Map(
    rest.filter((text) => text.endsWith('}')).map((text) => Object.values(JSON.parse(text))),
  );
  const rows = chosen.filter((system) => found.has(nameOf(system)));
  return new Map(rows.map((system) => [system, found.get(nameOf(system))]));
}

export const keep = (system, found) =>
  appendFileSync(at(finished), `${JSON.stringify({ name: nameOf(system), found })}\n`);

export function writeTable(text) {
  const before = read(page);
  const [begin, end] = marks.map((mark) => before.indexOf(mark));
  if (begin < 0 || end < begin) throw new Error(`${page} must contain ${marks.join(' and ')}`);
  write(page, `${before.slice(0, begin)}${marks[0]}\n${text}\n\n${before.slice(end)}`);
}

/** When and where the table was recorded, in its first line. */
export const recordedAt = () => read(page).split(`${marks[0]}\n`)[1]?.split('\n')[0];
