/**
 * `npm run torture`: five processes over each transport, with faults, and a checker of what they
 * did. See tools/torture/README.md.
 *
 * --only LIST       transports, separated by commas. Default: all
 * --protocols LIST  of plan.mjs. Default: all
 * --entries N       entries in all. Default 20000
 * --minutes N       no new faults after that time. Default 15
 * --names N         locks at once. Default 64
 * --journals N      for how many of them the processes write journals. Default 2
 * --seed TEXT       of the faults. Default: the time; it is printed
 * --mistakes        the ordinary mistakes of operation instead of faults, see tools/torture/mistakes; with --only, --short, --json and --record
 * --numbers LIST    only these mistakes. Default: all
 * --short           one round of some faults for each run, of three processes
 * --folder DIR      where the logs are written. Default: a temporary folder
 * --keep            keeps them, and says where they are
 * --json            prints the results as JSON
 * --record          writes docs/torture.md, and all that was measured to reports/torture.json
 * --elections       tortures elections instead: see elections.mjs
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { write } from '../algorithm/files.mjs';
import { checked } from './checked.mjs';
import { kinds, runElection } from './election-run.mjs';
import { electionsTable } from './elections-report.mjs';
import { mistakes } from './mistakes/mistakes.mjs';
import { runMistakes } from './mistakes/run.mjs';
import { followers, machine, mediumNames, plan, protocolNames } from './plan.mjs';
import { resultsPage, resultsTable } from './report.mjs';
import { Run } from './run.mjs';

// which ends this process
if (process.argv.includes('--elections')) await import('./elections.mjs');
const options = given();
if (options.mistakes) {
  const chosen = process.argv.includes('--only') ? options.media : undefined;
  const command = `npm run torture -- --mistakes${chosen ? ` --only ${chosen.join(',')}` : ''}`;
  process.exit((await runMistakes({ ...options, chosen, machine: machine(), command })) ? 0 : 1);
}
const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'conclave-torture-'));
const results = {
  date: new Date().toISOString(),
  seed: options.seed,
  command: commandOf(options),
  machine: machine(),
  runs: [],
  elections: [],
};
let current;
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    interrupted = true;
    current?.fail(`interrupted by ${signal}`);
  });
if (!options.json) console.log(`Seed ${options.seed}. Again: ${results.command}`);

for (const one of plan(options)) {
  if (interrupted) break;
  const title = `${one.medium} ${one.protocol.key}`;
  const run = new Run({
    ...one,
    folder: join(folder, title.replace(' ', '-')),
    until: Date.now() + one.most,
  });
  current = run;
  const progress = setInterval(() => show(title, run), 500);
  const result = await checked(run);
  clearInterval(progress);
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  results.runs.push({ medium: one.medium, protocol: one.protocol.key, ...result });
  for (const text of [...result.violations, ...result.missing].slice(0, 20))
    console.error(`${title}: ${text}`);
}
if (options.protocols.includes(followers))
  for (const medium of kinds.followers.media) {
    if (interrupted || !options.media.includes(medium)) continue;
    const kills = options.short ? 4 : 40;
    results.elections.push(
      await runElection({ kind: followers, medium, kills, seed: options.seed }),
    );
  }
if (options.json)
  console.log(JSON.stringify({ ...results, ...(options.keep && { folder }) }, null, 2));
else {
  if (results.runs.length > 0) console.log(resultsTable(results));
  if (results.elections.length > 0) console.log(electionsTable(results.elections));
}
const good =
  !interrupted &&
  [...results.runs, ...results.elections].every(
    ({ violations, missing = [] }) => violations.length + missing.length === 0,
  );
if (options.record) record();
if (options.keep || !good) console.error(`The logs are in ${folder}`);
else rmSync(folder, { recursive: true });
process.exit(good ? 0 : 1);

function show(title, run) {
  if (!process.stderr.isTTY) return;
  const seconds = (Date.now() - run.started) / 1000;
  const rate = Math.round(run.store.writes / seconds);
  const text = `${title}: ${run.store.writes} entries, ${rate}/s, round ${run.rounds}, ${[...run.faults.current.values()].join(', ') || 'calm'}`;
  process.stderr.write(`\r${text.slice(0, (process.stderr.columns ?? 120) - 1)}\x1b[K`);
}

function record() {
  if (!good) {
    console.error('Not recorded: a run failed.');
    return;
  }
  write('reports/torture.json', `${JSON.stringify(results, null, 2)}\n`);
  write('docs/torture.md', resultsPage(results));
  console.error('Recorded in docs/torture.md.');
}

function commandOf({ seed, entries, media, protocols, names, short }) {
  const all = media.length === mediumNames.length ? '' : ` --only ${media.join(',')}`;
  const some =
    protocols.length === protocolNames.length ? '' : ` --protocols ${protocols.join(',')}`;
  return `npm run torture -- --seed ${seed} --entries ${entries} --names ${names}${all}${some}${short ? ' --short' : ''}`;
}

function given() {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  const values = parsed({
    only: { ...text, default: mediumNames.join(',') },
    protocols: { ...text, default: protocolNames.join(',') },
    entries: { ...text, default: '20000' },
    minutes: { ...text, default: '15' },
    names: { ...text, default: '64' },
    journals: { ...text, default: '2' },
    seed: { ...text, default: String(Date.now()) },
    folder: text,
    mistakes: flag,
    numbers: text,
    short: flag,
    keep: flag,
    json: flag,
    record: flag,
  });
  return {
    ...values,
    numbers: values.numbers && listed(values.numbers, numbersOf(values), 'mistake').map(Number),
    media: listed(values.only, mediumNames, 'transport'),
    protocols: listed(values.protocols, protocolNames, 'protocol'),
    entries: count(values.entries, 'entries'),
    minutes: count(values.minutes, 'minutes'),
    names: count(values.names, 'names'),
    journals: count(values.journals, 'journals'),
  };
}

function parsed(options) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse(`${error.message}. Try npm run torture -- --help`);
  }
}

/** The numbers of the mistakes, as text; with `--short`, of those that are among them. */
function numbersOf({ short }) {
  const meant = mistakes.filter((mistake) => !short || mistake.short);
  return [...new Set(meant.map(({ number }) => String(number)))].sort();
}

function listed(text, known, what) {
  const items = text.split(',');
  for (const item of items)
    if (!known.includes(item))
      refuse(`There is no ${what} '${item}'. There are: ${known.join(', ')}`);
  return items;
}

function count(text, what) {
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0))
    refuse(`--${what} is a positive number, not '${text}'`);
  return value;
}

function refuse(text) {
  console.error(text);
  process.exit(2);
}
