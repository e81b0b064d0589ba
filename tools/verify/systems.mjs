/**
 * The systems that `npm run verify` explores: those of the algorithms' folders, and the reference;
 * what is recorded of them; in which order, and how many at a time, they are searched.
 *
 * As a process it searches one row: the arguments are the id of its algorithm, its place there, and
 * the MB of memory that it may take. It sends what it found to its parent: `{ states, depth }` while
 * it searches, then `{ found }`.
 */
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { catalogue } from '@conclave/algorithms';
import { explore } from '@conclave/check';
import { at, checksOf, has, read, write } from '../algorithm/files.mjs';
import { reference } from '../bench/explore/reference.mjs';

/** The model that the benchmark explores with other tools, too. */
const referenceModel = () => [
  { system: 'Reference model, 3 nodes', options: '3 entries each, FIFO', runs: [reference(3, 3)] },
  {
    system: 'Reference model, 4 nodes',
    options: 'an entry each, FIFO',
    runs: [reference(4, 1)],
    large: true,
  },
];

/** Those of one algorithm, each with its place among them; of the reference model without an id. */
export async function systemsOf(id) {
  const entry = catalogue.find((one) => one.id === id);
  const { verified = () => [] } = entry
    ? await checksOf(entry.folder)
    : { verified: referenceModel };
  return verified().map((system, place) => ({ ...system, id, place }));
}

/** All, in the order of the catalogue. */
export async function allSystems() {
  const ids = [undefined, ...catalogue.map(({ id }) => id)];
  return (await Promise.all(ids.map(systemsOf))).flat();
}

export const nameOf = ({ system, options }) => `${system}, ${options}`;

// What is recorded: the table in docs/verified-systems.md, whose counts are those that are expected, and
// the rows that an interrupted run has finished.

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

/** A digest of what searches and is searched: results of other programs are not resumed. */
function digestOfPrograms() {
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
  const digest = digestOfPrograms();
  const [first, ...rest] = resume && has(finished) ? read(finished).split('\n') : [];
  if (first !== digest) {
    if (resume) console.log('There are no finished rows of these programs: all rows are searched.');
    write(finished, `${digest}\n`);
    return new Map();
  }
  const found = new Map();
  for (const line of rest.filter((text) => text.endsWith('}'))) {
    const row = JSON.parse(line);
    found.set(row.name, row.found);
  }
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

// In which order, and how many at a time, they are searched.

const program = fileURLToPath(import.meta.url);
const memory = (freemem() / 2 ** 20) * 0.9;

/**
 * Searches all `rows`, `atOnce` at a time, the longest first, and calls `done` with what each
 * found, or with `{ failed }`. A row that needs more than half of the memory runs alone.
 */
export async function runAll(rows, { atOnce, recorded }, done) {
  const waiting = rows
    .map((row) => ({ row, ...estimate(row, recorded) }))
    .sort((a, b) => b.seconds - a.seconds);
  const running = new Set();
  const killAll = (signal) => {
    for (const { child } of running) child.kill();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, killAll);
  while (waiting.length + running.size > 0) {
    for (let job = next(waiting, running, atOnce); job; job = next(waiting, running, atOnce))
      start(job, running, atOnce);
    const { job, found } = await Promise.race([...running].map(({ ended }) => ended));
    running.delete(job);
    clearLine();
    done(job.row, found);
  }
}

/** Seconds and MB, as recorded. Rows of several networks hold one of them at a time. */
function estimate(row, recorded) {
  const before = recorded.get(nameOf(row));
  if (!before) return { seconds: Number.POSITIVE_INFINITY, peak: 300 };
  const networks = row.runs.length;
  const { seconds, peak, expected } = before;
  return { seconds, peak: networks === 1 ? peak : 300 + (400e-6 * expected.states) / networks };
}

/** Takes the next job out of `waiting`: the longest one that fits beside those that run. */
function next(waiting, running, atOnce) {
  if (running.size >= atOnce || [...running].some(({ alone }) => alone)) return undefined;
  const index = waiting.findIndex(
    ({ peak }) => running.size === 0 || (peak <= memory / 2 && peak <= memory - taken(running)),
  );
  const [job] = index < 0 ? [] : waiting.splice(index, 1);
  if (job) job.alone = job.peak > memory / 2;
  return job;
}

const taken = (running) => [...running].reduce((sum, { peak }) => sum + peak, 0);

function start(job, running, atOnce) {
  const limit = Math.max(memory - taken(running), memory / atOnce / 2);
  const { id = '', place } = job.row;
  job.child = fork(program, [id, String(place), String(Math.round(limit))]);
  running.add(job);
  job.ended = new Promise((resolve) => {
    let found;
    job.child.on('message', (message) => {
      if (message.found) found = message.found;
      else showProgress(job, message, running.size);
    });
    job.child.once('close', (status, signal) => {
      resolve({
        job,
        found: status === 0 && found ? found : { failed: signal ?? `exit code ${status}` },
      });
    });
  });
}

function showProgress({ row }, { states, depth }, running) {
  if (!process.stderr.isTTY) return;
  const others = running > 1 ? `, and ${running - 1} more` : '';
  process.stderr.write(
    `\r${row.system}: ${states.toLocaleString('en')} states, ${depth} steps deep${others}\x1b[K`,
  );
}

function clearLine() {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

if (process.argv[1] === program) await search(process.argv.slice(2));

/** One row, in a process of its own. */
async function search([id, place, memory]) {
  const { runs } = (await systemsOf(id || undefined))[Number(place)];
  const found = { states: 0, transitions: 0, depth: 0, incomplete: [], verdicts: {} };

  const onProgress = (states, _transitions, depth) =>
    process.send({ states: found.states + states, depth });

  const start = performance.now();
  for (const [protocol, topology, budget] of runs) {
    const options = { ...budget, limits: { memory: Number(memory) }, onProgress };
    const { states, transitions, depth, limit, properties } = explore(protocol, topology, options);
    found.states += states;
    found.transitions += transitions;
    found.depth = Math.max(found.depth, depth);
    if (limit) found.incomplete.push(`${topology.spec} (${limit})`);
    for (const { name, verdict } of properties)
      found.verdicts[name] = [...new Set([...(found.verdicts[name] ?? []), verdict])];
  }
  const seconds = (performance.now() - start) / 1000;
  process.send({ found: { ...found, seconds, peak: process.resourceUsage().maxRSS / 1024 } }, () =>
    process.disconnect(),
  );
}
