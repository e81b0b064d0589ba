/**
 * Makes every mutant of every protocol and writes what became of them: docs/mutation.md, a table, and docs/mutation.json, the survivors.
 *
 * npm run mutate                     all, after a build; or, one by one:
 * node scripts/mutate.mjs            all, two protocols at a time
 * node scripts/mutate.mjs A3 A14     these only; prints, writes nothing
 * node scripts/mutate.mjs --jobs 4   four at a time
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { mutate } from '@conclave/core/mutation';
import { subjects as allSubjects } from '../packages/algorithms/dist/mutated.js';

const subjects = allSubjects();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { one: { type: 'string' }, jobs: { type: 'string', default: '2' } },
});

if (values.one === undefined) await all();
else one(subjects[Number(values.one)]);

/** In a process of its own: what one protocol's mutants leave in memory is gone with it. */
function one({ protocol, systems }) {
  const report = mutate(protocol, systems ? { systems } : {});
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
      console.log(`${percent(report.score).padStart(7)}  ${next.name}, ${report.mutants.length} mutants in ${report.seconds.toFixed(0)} s`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  const inOrder = wanted.flatMap(({ name }) => (reports.has(name) ? [[name, reports.get(name)]] : []));
  if (positionals.length > 0) return console.log(`\n${table(inOrder)}`);
  write('docs/mutation.md', page(inOrder));
  write('docs/mutation.json', `${JSON.stringify(Object.fromEntries(inOrder.map(([name, report]) => [name, kept(report)])), null, 2)}\n`);
}

/** Made in a process of its own. */
async function reportOf({ index }) {
  const script = fileURLToPath(import.meta.url);
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--one', String(index)], { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout);
}

function isWanted({ name }) {
  return positionals.length === 0 || positionals.some((wanted) => name === wanted || name.startsWith(`${wanted} `));
}

function write(path, text) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
  console.log(`written  ${path}`);
}

function percent(score) {
  return `${(100 * score).toFixed(1)} %`;
}

/** What is compared: no times. */
function kept({ score, counts, systems, leftOut, fingerprint, mutants }) {
  const lines = (fate) => mutants.filter((mutant) => mutant.fate === fate).map(({ id, after }) => `${id} ⇒ ${after}`);
  return {
    ...{ fingerprint, score, counts, systems: systems.map(({ name, states }) => `${name}: ${states} states`), leftOut },
    ...{ survived: lines('survived'), unreached: lines('unreached'), inconclusive: lines('inconclusive') },
  };
}

function page(reports) {
  const totals = {};
  for (const [, { counts }] of reports) for (const [fate, count] of Object.entries(counts)) totals[fate] = (totals[fate] ?? 0) + count;
  return `# What the properties notice

Every statechart of the catalogue with one mistake in it: an action dropped, repeated or moved, a guard dropped or turned round, a rule deleted or
made to ignore its event, a transition that leads elsewhere, a tag or timer gone, a message not sent, sent twice or to the wrong neighbour, a
channel that may do more than assumed. Each is explored on small systems until a property of the protocol is violated. Written by
\`npm run mutate\`; the survivors, one line each, are in [mutation.json](mutation.json).

*Killed* counts those that are refuted, *unhandled* of them by a message that no state handles. *Rejected* ones do not pass the checks of a
definition. *Equivalent* ones are bisimilar to the protocol on all systems explored. *Unreached*: no system comes by what is changed.
*Inconclusive*: a limit of states was reached. The score is killed of all but rejected and equivalent.

${table(reports)}
All in all ${Object.values(totals).reduce((sum, count) => sum + count, 0)} mutants.
`;
}

function table(reports) {
  const head = ['protocol', 'mutants', 'killed', 'unhandled', 'rejected', 'equivalent', 'unreached', 'survived', 'inconclusive', 'score'];
  const rows = reports.map(([name, { mutants, counts, score }]) => [
    name,
    mutants.length,
    counts.killed + counts.unhandled,
    ...[counts.unhandled, counts.rejected, counts.equivalent, counts.unreached, counts.survived, counts.inconclusive],
    percent(score),
  ]);
  return [head, head.map((_, index) => (index === 0 ? '---' : '--:')), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}
