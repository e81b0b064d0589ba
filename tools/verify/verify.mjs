/**
 * `npm run verify`: first the proofs, which are all tests with all their runs; then a program under
 * each runtime, and the packages in projects of each package manager; then a check of each algorithm without sizes, ten seconds each; then systems that
 * are too large for tests, each in a process of its own. Exit code 1 if a test, a runtime or a check
 * fails, and on any surprise: another number of states or transitions or another depth than
 * docs/verified-systems.md records, another verdict, an incomplete search.
 *
 * --part NAME  only the `proofs`, the `runtimes`, the `projects`, the `checks` with two minutes each, or the
 *              `systems`; an option of the systems says so, too. `firefox`: the tests of the
 *              studio's page in that browser, which no other part runs
 * PATH         only the proofs below it: packages/algorithms/src/election
 * --all        also all rows of long tables of proofs, and the systems that took more than 10 seconds
 *              when they were recorded: some take minutes, and up to 12 GB
 * --only TEXT  only systems with TEXT in their name
 * --workers N  how many systems are searched side by side, the longest first; one that needs half of
 *              the memory runs alone. Default 2, or 1 on a single core
 * --shard I/N  one of N parts, for as many machines: of the test files, and of the systems
 * --record     writes the rows that were searched to docs/verified-systems.md if there was no surprise; all
 *              systems, unless --only chooses some. A row with other counts must be deleted before
 * --resume     keeps the rows that an interrupted run of the same programs has finished (reports/verified.jsonl)
 */
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import {
  allSystems,
  finishedRows,
  keep,
  nameOf,
  recordedAt,
  recordedRows,
  runAll,
  writeTable,
} from './systems.mjs';

const parts = ['proofs', 'runtimes', 'projects', 'checks', 'systems', 'firefox'];
const columns = [
  'system',
  'options',
  'states',
  'transitions',
  'depth',
  'seconds',
  'peak MB',
  'verdicts',
];

const { all, only, workers, record, resume, shard, part, paths } = options();
const has = (name) => part === undefined || part === name;
/** New ones each day; CONCLAVE_SEED repeats those of another day. */
const seed = process.env.CONCLAVE_SEED ?? new Date().toISOString().slice(2, 10).replaceAll('-', '');
const env = { ...process.env, CONCLAVE_SEED: seed, ...(all && { CONCLAVE_ALL: '1' }) };
const passes = (...words) => spawnSync('npx', words, { stdio: 'inherit', env }).status === 0;
const isFirst = (shard ?? '1/1').startsWith('1/');
if (has('proofs')) {
  console.log('Part: proofs\n');
  if (!proofsPass()) process.exitCode = 1;
}
const besides = {
  runtimes: ['tools/verify/runtimes.mjs'],
  projects: ['tools/packages/projects.mjs'],
};
const checks = ['tools/verify/bare-checks.mjs', '--seconds', part === 'checks' ? '120' : '10'];
// side by side: each waits most of its time for one process
await Promise.all(
  Object.entries(besides).map(([name, words]) => has(name) && isFirst && passesBeside(name, words)),
);
if (has('checks') && isFirst) {
  console.log('\nPart: checks\n');
  if (!passes('node', ...checks)) process.exitCode = 1;
}
if (part === 'firefox') {
  env.CONCLAVE_BROWSER = 'firefox';
  if (!passes('vitest', 'run', '--mode', 'verify', 'packages/studio/src/browser'))
    process.exitCode = 1;
}
if (!has('systems')) process.exit();
console.log('\nPart: systems\n');
const systems = await allSystems();
const recorded = recordedRows();
const meant = systems.filter((system) => nameOf(system).includes(only));
if (meant.length === 0) refuse(`No system has '${only}' in its name`);
/** Of a system without `--all` or `--only`: the seconds that it took when it was recorded. */
const mostSeconds = 10;
const isShort = (system) => (recorded.get(nameOf(system))?.seconds ?? 0) <= mostSeconds;
const wanted = meant.filter(
  (system) => all || record || (!system.large && (only !== '' || isShort(system))),
);
const left = meant.filter((system) => !wanted.includes(system));
const [index, of] = (shard ?? '1/1').split('/').map(Number);
const chosen = wanted.filter((_, place) => place % of === index - 1);
const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, node ${process.version}`;

const head = [line(columns), line(columns.map(() => '---'))];
console.log(`${machine}\n\n${head.join('\n')}`);
let surprises = 0;
const start = performance.now();

/** What was found, by the row. */
const results = finishedRows(chosen, resume);
for (const [system, found] of results) console.log(row(system, found));
const open = chosen.filter((system) => !results.has(system));
await runAll(open, { atOnce: Number(workers), recorded }, (system, found) => {
  results.set(system, found);
  console.log(row(system, found));
  const unexpected = surprisesIn(system, found);
  for (const surprise of unexpected) console.error(`!!! ${surprise}`);
  surprises += unexpected.length;
  if (unexpected.length === 0) keep(system, found);
});

console.log(
  `\nRows: ${chosen.length}, surprises: ${surprises}, seconds: ${Math.round((performance.now() - start) / 1000)}`,
);
if (left.length > 0)
  console.log(
    `Left out, since they take longer: ${left.length} systems. Try --part systems --all.`,
  );
if (surprises > 0 || chosen.length === 0) process.exitCode = 1;
else if (record) {
  const line = (system) =>
    results.has(system) ? row(system, results.get(system)) : recorded.get(nameOf(system))?.line;
  const rows = systems.flatMap((system) => line(system) ?? []);
  const isWhole = chosen.length === systems.length;
  const now = `${new Date().toISOString().slice(0, 10)}, ${machine}`;
  writeTable(`${isWhole ? now : recordedAt()}\n\n${[...head, ...rows].join('\n')}`);
  console.log('Recorded in docs/verified-systems.md. Run npm run generate for the pages.');
}

/** Runs it beside others; prints what it has printed when it ends. */
function passesBeside(name, words) {
  return new Promise((resolve) => {
    const child = spawn('npx', ['node', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => printed.push(chunk));
    child.on('error', (error) => printed.push(Buffer.from(error.message)));
    child.on('close', (code) => {
      console.log(`\nPart: ${name}\n\n${Buffer.concat(printed)}`);
      if (code !== 0) process.exitCode = 1;
      resolve();
    });
  });
}

/** All tests with their proofs; then all packages, where no path and no shard chooses some tests. */
function proofsPass() {
  const some = shard ? [`--shard=${shard}`] : [];
  const passed = passes('vitest', 'run', '--mode', 'verify', ...some, ...paths);
  if (paths.length > 0 || shard) return passed;
  return passes('node', 'tools/packages/check-packages.mjs', '--all') && passed;
}

function options() {
  try {
    const { values, positionals: paths } = parseArgs({
      allowPositionals: true,
      options: {
        part: { type: 'string' },
        all: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
        record: { type: 'boolean', default: false },
        resume: { type: 'boolean', default: false },
        shard: { type: 'string' },
      },
    });
    if (!/^[1-9]\d*$/.test(values.workers))
      throw new Error(`--workers ${values.workers} is not a number of systems`);
    const [, index, of] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(values.shard ?? '1/1') ?? [];
    if (!(Number(index) <= Number(of)))
      throw new Error(`--shard ${values.shard} is not one of several, such as 2/8`);
    if (values.shard && values.record) throw new Error('--record needs the systems of all shards');
    if (values.part && !parts.includes(values.part))
      throw new Error(`There is no part '${values.part}': it is one of ${parts.join(', ')}`);
    const ofSystems = values.only !== '' || values.record || values.resume;
    const part = paths.length > 0 ? 'proofs' : ofSystems ? 'systems' : undefined;
    return { part, paths, ...values };
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(what) {
  console.error(
    `${what}. Try npm run verify -- [--part ${parts.join('|')}] [--all] [--only TEXT] [--workers N] [--shard I/N] [--record] [--resume] [PATH].`,
  );
  process.exit(2);
}

function surprisesIn(system, found) {
  const { violated = [] } = system;
  const where = `${nameOf(system)}: `;
  const { expected = {} } = recorded.get(nameOf(system)) ?? {};
  if (found.failed) return [`${where}the process ended with ${found.failed}`];
  const surprises = found.incomplete.map((what) => `incomplete on ${what}`);
  for (const [what, count] of Object.entries(expected))
    if (found[what] !== count)
      surprises.push(`${number(found[what])} ${what}, not ${number(count)}`);
  for (const name of violated) if (!found.verdicts[name]) surprises.push(`no property '${name}'`);
  for (const [name, verdicts] of Object.entries(found.verdicts)) {
    const right = violated.includes(name) ? ['violated'] : ['holds', 'reached'];
    // not on every network
    if (verdicts.length > 1 && !violated.includes(name)) right.push('vacuous');
    for (const verdict of verdicts)
      if (!right.includes(verdict)) surprises.push(`'${name}' is ${verdict}`);
  }
  return surprises.map((surprise) => where + surprise);
}

function row({ system, options }, found) {
  if (found.failed) return line([system, options, ...Array(5).fill('–'), found.failed]);
  const { states, transitions, depth, seconds, peak, verdicts } = found;
  const counts = new Map();
  for (const verdict of Object.values(verdicts).flat().sort())
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const summary = [...counts]
    .map(([verdict, count]) => `${count} ${verdict === 'holds' ? 'hold' : verdict}`)
    .join(', ');
  const figures = [
    ...[states, transitions, depth].map(number),
    seconds.toFixed(1),
    number(Math.round(peak)),
  ];
  return line([system, options, ...figures, summary]);
}

function number(value) {
  return value.toLocaleString('en');
}

function line(cells) {
  return `| ${cells.join(' | ')} |`;
}
