/**
 * `npm run verify`, in parts: the `proofs`, which are all tests with all their runs; a program under
 * each of the `runtimes`; the packages in `projects` of each package manager; `checks` of each
 * algorithm without sizes, ten seconds each; and `systems` that are too large for tests, each in a
 * process of its own. Exit code 1 if a test, a runtime or a check fails, and on any surprise: another
 * number of states or transitions or another depth than docs/verified-systems.md records, another
 * verdict, an incomplete search.
 *
 * --part NAME  only this part; the `checks` then with two minutes each. An option of the systems says
 *              so, too. `firefox`: the tests of the studio's page in that browser, which no other
 *              part runs
 * PATH         only the proofs below it: packages/algorithms/src/election
 * --all        also all rows of long tables of proofs, and the systems that took more than 10 seconds
 *              when they were recorded: some take minutes, and up to 12 GB
 * --only TEXT  only systems with TEXT in their name
 * --workers N  how many systems are searched side by side, the longest first; one that needs half of
 *              the memory runs alone. Default 2, or 1 on a single core
 * --shard I/N  one of N parts, for as many machines: of the test files, and of the systems
 * --record     writes the rows that were searched to docs/verified-systems.md if there was no
 *              surprise; all systems, unless --only chooses some. A row with other counts must be
 *              deleted before
 * --resume     keeps the rows that an interrupted run of the same programs has finished
 *              (reports/verified.jsonl)
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
/** Of a system without `--all` or `--only`: the seconds that it took when it was recorded. */
const mostSeconds = 10;
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

const { all, only, workers, record, resume, shard = '1/1', part, paths } = options();
const [shardIndex, shards] = shard.split('/').map(Number);
const isChosen = (name) => part === undefined || part === name;
/** New ones each day; CONCLAVE_SEED repeats those of another day. */
const seed = process.env.CONCLAVE_SEED ?? new Date().toISOString().slice(2, 10).replaceAll('-', '');
const env = { ...process.env, CONCLAVE_SEED: seed, ...(all && { CONCLAVE_ALL: '1' }) };
const passes = (...words) => spawnSync('npx', words, { stdio: 'inherit', env }).status === 0;
const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, node ${process.version}`;
const head = [line(columns), line(columns.map(() => '---'))];

if (isChosen('proofs')) {
  console.log('Part: proofs\n');
  if (!proofsPass()) process.exitCode = 1;
}
if (shardIndex === 1) {
  // side by side: each waits most of its time for one process
  await Promise.all([
    isChosen('runtimes') && runBeside('runtimes', 'tools/verify/runtimes.mjs'),
    isChosen('projects') && runBeside('projects', 'tools/packages/projects.mjs'),
  ]);
  if (isChosen('checks')) {
    console.log('\nPart: checks\n');
    const seconds = part === 'checks' ? '120' : '10';
    if (!passes('node', 'tools/verify/bare-checks.mjs', '--seconds', seconds)) process.exitCode = 1;
  }
}
if (part === 'firefox') {
  env.CONCLAVE_BROWSER = 'firefox';
  if (!passes('vitest', 'run', '--mode', 'verify', 'packages/studio/src/browser'))
    process.exitCode = 1;
}
if (isChosen('systems')) await verifySystems();

/** Searches the systems, and records what was found where that is asked for. */
async function verifySystems() {
  console.log('\nPart: systems\n');
  const systems = await allSystems();
  const recorded = recordedRows();
  const { chosen, left } = choose(systems, recorded);
  console.log(`${machine}\n\n${head.join('\n')}`);
  const start = performance.now();
  const { results, surprises } = await search(chosen, recorded);
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`\nRows: ${chosen.length}, surprises: ${surprises}, seconds: ${seconds}`);
  if (left.length > 0)
    console.log(
      `Left out, since they take longer: ${left.length} systems. Try --part systems --all.`,
    );
  if (surprises > 0 || chosen.length === 0) process.exitCode = 1;
  else if (record) {
    const lineOf = (system) =>
      results.has(system) ? row(system, results.get(system)) : recorded.get(nameOf(system))?.line;
    const rows = systems.flatMap((system) => lineOf(system) ?? []);
    const isWhole = chosen.length === systems.length;
    const now = `${new Date().toISOString().slice(0, 10)}, ${machine}`;
    writeTable(`${isWhole ? now : recordedAt()}\n\n${[...head, ...rows].join('\n')}`);
    console.log('Recorded in docs/verified-systems.md. Run npm run generate for the pages.');
  }
}

/** The systems of this shard that are to be searched, and those of all that take too long. */
function choose(systems, recorded) {
  const named = systems.filter((system) => nameOf(system).includes(only));
  if (named.length === 0) refuse(`No system has '${only}' in its name`);
  const isShort = (system) => (recorded.get(nameOf(system))?.seconds ?? 0) <= mostSeconds;
  const wanted = named.filter(
    (system) => all || record || (!system.large && (only !== '' || isShort(system))),
  );
  return {
    chosen: wanted.filter((_, place) => place % shards === shardIndex - 1),
    left: named.filter((system) => !wanted.includes(system)),
  };
}

/** What was found, by the system; a row of the table is printed for each as soon as it is known. */
async function search(systems, recorded) {
  const results = finishedRows(systems, resume);
  for (const [system, found] of results) console.log(row(system, found));
  const open = systems.filter((system) => !results.has(system));
  let surprises = 0;
  await runAll(open, { atOnce: Number(workers), recorded }, (system, found) => {
    results.set(system, found);
    console.log(row(system, found));
    const unexpected = surprisesIn(system, found, recorded.get(nameOf(system))?.expected);
    for (const surprise of unexpected) console.error(`!!! ${surprise}`);
    surprises += unexpected.length;
    if (unexpected.length === 0) keep(system, found);
  });
  return { results, surprises };
}

/** Runs a script beside others; prints what it has printed when it ends. */
function runBeside(name, script) {
  return new Promise((resolve) => {
    const child = spawn('npx', ['node', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
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
  const some = shards > 1 ? [`--shard=${shard}`] : [];
  const passed = passes('vitest', 'run', '--mode', 'verify', ...some, ...paths);
  if (paths.length > 0 || shards > 1) return passed;
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

/** What is not as recorded, or not as it must be, in words. */
function surprisesIn(system, found, expected = {}) {
  const { violated = [] } = system;
  const where = `${nameOf(system)}: `;
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
