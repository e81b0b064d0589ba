/**
 * The results of tools/verify/verify.mjs: the table in docs/verified.md, and the rows that an
 * interrupted run has finished.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { systems } from './verified-systems.mjs';

const at = (path) => new URL(`../../${path}`, import.meta.url);
const page = at('docs/verified.md');
const finished = at('reports/verified.jsonl');
const marks = ['<!-- verified: begin -->', '<!-- verified: end -->'];
const nameOf = ({ system, options }) => `${system}, ${options}`;

/** The seconds and peak MB of each row of docs/verified.md, by its name. */
export function recordedRows() {
  const rows = readFileSync(page, 'utf8')
    .split('\n')
    .filter((text) => text.startsWith('| '));
  return new Map(
    rows.map((text) => {
      const [system, options, , , , seconds, peak] = text.slice(2).split(' | ');
      return [
        nameOf({ system, options }),
        { seconds: Number(seconds), peak: Number(peak?.replaceAll(',', '')) },
      ];
    }),
  );
}

/** What searched and what was searched, as a digest: results of other programs are not resumed. */
function programs() {
  const digest = createHash('sha256').update(readFileSync(at('tools/verify/verified-systems.mjs')));
  for (const folder of ['packages/core/dist/', 'packages/algorithms/dist/']) {
    const files = readdirSync(at(folder), { recursive: true }).filter((file) =>
      /\.(js|wasm)$/.test(file),
    );
    for (const file of files.sort()) digest.update(file).update(readFileSync(at(folder + file)));
  }
  return digest.digest('hex');
}

/**
 * What an earlier run found, by the number of the row; without `resume` nothing, and the next rows
 * are kept in a new file.
 */
export function finishedRows(chosen, resume) {
  const begun = programs();
  const [first, ...rest] =
    resume && existsSync(finished) ? readFileSync(finished, 'utf8').split('\n') : [];
  if (first !== begun) {
    if (resume) console.log('There are no finished rows of these programs: all rows are searched.');
    mkdirSync(at('reports'), { recursive: true });
    writeFileSync(finished, `${begun}\n`);
    return new Map();
  }
  const found = new Map(
    rest.filter((text) => text.endsWith('}')).map((text) => Object.values(JSON.parse(text))),
  );
  const rows = chosen.filter((system) => found.has(nameOf(system)));
  return new Map(rows.map((system) => [systems.indexOf(system), found.get(nameOf(system))]));
}

export function keep(system, found) {
  appendFileSync(finished, `${JSON.stringify({ name: nameOf(system), found })}\n`);
}

export function writeTable(text) {
  const before = readFileSync(page, 'utf8');
  const [begin, end] = marks.map((mark) => before.indexOf(mark));
  if (begin < 0 || end < begin)
    throw new Error(`docs/verified.md must contain ${marks.join(' and ')}`);
  writeFileSync(page, `${before.slice(0, begin)}${marks[0]}\n${text}\n\n${before.slice(end)}`);
}
