/**
 * Makes and judges every mutant of every protocol. Writes docs/mutation.md, a table with the
 * reasons why some mutants pass, and docs/mutation.json, every mutant. Exit code 1: a mutant passes
 * without a reason, or a reason is stale.
 *
 * npm run mutate                     builds, then runs node tools/algorithm/mutate.mjs
 * node tools/algorithm/mutate.mjs            all protocols, two at a time
 * node tools/algorithm/mutate.mjs A3 A14     only these; prints the table and writes nothing
 * node tools/algorithm/mutate.mjs --jobs 4   four at a time
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { mutate } from '@conclave/core/mutation';
import {
  subjects as allSubjects,
  mutateOptionsOf,
} from '../../packages/algorithms/dist/mutated.js';
import {
  complaints,
  mutationPage,
  mutationTable,
  recorded,
} from '../../packages/algorithms/dist/mutation-table.js';

const subjects = allSubjects();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { one: { type: 'string' }, jobs: { type: 'string', default: '2' } },
});

if (values.one === undefined) await all();
else one(subjects[Number(values.one)]);

/** Runs in a process of its own, so that the memory of one protocol's mutants is freed with it. */
function one(subject) {
  const report = mutate(subject.protocol, mutateOptionsOf(subject));
  process.stdout.write(JSON.stringify(report));
}

async function all() {
  const wanted = subjects.map((subject, index) => ({ ...subject, index })).filter(isWanted);
  const waiting = [...wanted];
  const reports = new Map();
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const report = await reportOf(next).catch((error) => {
        console.error(`${next.name}: ${error.stderr ?? error}`);
        process.exitCode = 2;
      });
      if (!report) continue;
      reports.set(next.name, report);
      console.log(
        `${percent(report.score).padStart(7)}  ${next.name}, ${report.mutants.length} mutants in ${report.seconds.toFixed(0)} s`,
      );
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  const done = wanted.filter(({ name }) => reports.has(name));
  const protocols = Object.fromEntries(
    done.map((subject) => [subject.name, recorded(reports.get(subject.name), subject)]),
  );
  const wrong = done.flatMap((subject) => complaints(subject, protocols[subject.name]));
  if (positionals.length > 0) console.log(`\n${mutationTable(protocols)}`);
  else if (done.length === wanted.length) record(protocols);
  for (const complaint of wrong) console.error(complaint);
  if (wrong.length > 0) process.exitCode ??= 1;
}

function record(protocols) {
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, node ${process.version}`;
  const table = { date: new Date().toISOString().slice(0, 10), machine, protocols };
  write('docs/mutation.md', mutationPage(table));
  write('docs/mutation.json', `${JSON.stringify(table, null, 1)}\n`);
}

/** The report of one protocol, from a process of its own. */
async function reportOf({ index }) {
  const script = fileURLToPath(import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--one', String(index)], {
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(stdout);
}

function isWanted({ name }) {
  return (
    positionals.length === 0 ||
    positionals.some((wanted) => name === wanted || name.startsWith(`${wanted} `))
  );
}

function write(path, text) {
  writeFileSync(new URL(`../../${path}`, import.meta.url), text);
  console.log(`written  ${path}`);
}

function percent(score) {
  return `${(100 * score).toFixed(1)} %`;
}
