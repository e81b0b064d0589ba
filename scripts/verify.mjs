/**
 * `npm run verify`: checks systems that are too large for the tests, one after another, each in a process of its own. Exit code 1 on any surprise:
 * another number of states or transitions, another depth, another verdict, an incomplete search.
 *
 * --all        also the systems that take minutes and up to 12 GB
 * --only TEXT  only systems with TEXT in their name
 * --workers N  how many threads search. Default 2, or 1 on a single core
 * --record     writes the results to docs/verified.md if there was no surprise
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systems } from './verified-systems.mjs';

const page = new URL('../docs/verified.md', import.meta.url);
const marks = ['<!-- verified: begin -->', '<!-- verified: end -->'];
const columns = ['system', 'options', 'states', 'transitions', 'depth', 'seconds', 'peak MB', 'workers', 'verdicts'];

const { all, only, workers, record } = options();
const meant = systems.filter(({ system, options }) => `${system}, ${options}`.includes(only));
if (meant.length === 0) refuse(`No system has '${only}' in its name`);
const chosen = meant.filter(({ large }) => all || !large);
const left = meant.filter((system) => !chosen.includes(system));
const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, node ${process.version}`;

const lines = [line(columns), line(columns.map(() => '---'))];
console.log(`${machine}\n\n${lines.join('\n')}`);
let surprises = 0;
const start = performance.now();
for (const system of chosen) {
  const found = proved(systems.indexOf(system));
  lines.push(row(system, found));
  console.log(lines.at(-1));
  for (const surprise of surprisesIn(system, found)) {
    surprises++;
    console.error(`!!! ${surprise}`);
  }
}
console.log(`\nRows: ${chosen.length}, surprises: ${surprises}, seconds: ${Math.round((performance.now() - start) / 1000)}`);
for (const { system, options } of left) console.log(`Left out, since it takes minutes and much memory: ${system}, ${options}. Try --all.`);
if (surprises > 0 || chosen.length === 0) process.exitCode = 1;
else if (record) write();

function options() {
  try {
    const { values } = parseArgs({
      options: {
        all: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
        record: { type: 'boolean', default: false },
      },
    });
    if (values.record && values.only !== '') throw new Error('--record writes the whole table: omit --only');
    if (!/^[1-9]\d*$/.test(values.workers)) throw new Error(`--workers ${values.workers} is not a number of threads`);
    return values;
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(what) {
  console.error(`${what}. Try npm run verify -- [--all] [--only TEXT] [--workers N] [--record].`);
  process.exit(2);
}

/** The result of one row's process, or why it failed. */
function proved(index) {
  const run = fileURLToPath(new URL('./verify.run.mjs', import.meta.url));
  const { status, signal, stdout } = spawnSync(process.execPath, [run, String(index), workers], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return status === 0 ? JSON.parse(stdout) : { failed: signal ?? `exit code ${status}` };
}

function surprisesIn({ system, options, expected, violated = [] }, found) {
  const where = `${system}, ${options}: `;
  if (found.failed) return [`${where}the process ended with ${found.failed}`];
  const surprises = found.incomplete.map((what) => `incomplete on ${what}`);
  for (const [what, count] of Object.entries(expected)) {
    const off = Math.abs(found[what] - count);
    if (off > 0) surprises.push(`${number(found[what])} ${what}, not ${number(count)}`);
  }
  for (const name of violated) if (!found.verdicts[name]) surprises.push(`no property '${name}'`);
  for (const [name, verdicts] of Object.entries(found.verdicts)) {
    const right = violated.includes(name) ? ['violated'] : ['holds', 'reached'];
    if (verdicts.length > 1 && !violated.includes(name)) right.push('vacuous'); // not on every network
    for (const verdict of verdicts) if (!right.includes(verdict)) surprises.push(`'${name}' is ${verdict}`);
  }
  return surprises.map((surprise) => where + surprise);
}

function row({ system, options }, found) {
  if (found.failed) return line([system, options, ...Array(5).fill('–'), workers, found.failed]);
  const { states, transitions, depth, seconds, peak, verdicts } = found;
  const counts = new Map();
  for (const verdict of Object.values(verdicts).flat().sort()) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const summary = [...counts].map(([verdict, count]) => `${count} ${verdict === 'holds' ? 'hold' : verdict}`).join(', ');
  const figures = [...[states, transitions, depth].map(number), seconds.toFixed(1), number(Math.round(peak)), workers];
  return line([system, options, ...figures, summary]);
}

function number(value) {
  return value.toLocaleString('en');
}

function line(cells) {
  return `| ${cells.join(' | ')} |`;
}

function write() {
  const before = readFileSync(page, 'utf8');
  const [begin, end] = marks.map((mark) => before.indexOf(mark));
  if (begin < 0 || end < begin) throw new Error(`docs/verified.md must contain ${marks.join(' and ')}`);
  const missing = left.map(({ system, options }) => `Left out: ${system}, ${options}.\n\n`).join('');
  const text = `${marks[0]}\n${new Date().toISOString().slice(0, 10)}, ${machine}\n\n${lines.join('\n')}\n\n${missing}`;
  writeFileSync(page, before.slice(0, begin) + text + before.slice(end));
  console.log('Recorded in docs/verified.md.');
}
