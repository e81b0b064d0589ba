/**
 * `npm run torture`: five processes over each transport, with faults, and a checker of what they
 * did. See tools/torture/README.md.
 *
 * --only LIST       transports, separated by commas. Default: all
 * --protocols LIST  of plan.mjs. Default: all
 * --entries N       entries in all. Default 20000
 * --minutes N       no new faults after that time. Default 15; with --mistakes, for how long the program of docs/operations.md runs under its probe. Default 1
 * --names N         locks at once. Default 64
 * --journals N      for how many of them the processes write journals. Default 2
 * --seed TEXT       of the faults. Default: the time; it is printed
 * --mistakes        the ordinary mistakes of operation instead of faults, see tools/torture/mistakes; with --only, --short, --json and --record
 * --numbers LIST    only these mistakes. Default: all
 * --short           one round of some faults for each run, of three processes
 * --folder DIR      where the logs are written. Default: a temporary folder
 * --keep            keeps them, and says where they are
 * --json            prints the results as JSON
 * --record          writes docs/torture.md or docs/torture-rows.md, or both, and all that was measured to reports/torture.json
 * --elections       tortures elections instead: kills the leader again and again, which starts again with its storage
 * --kills N         of the leader, for each election. Default 200; with --only bully, lease, followers, --seed, --json and --record
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { write } from '../algorithm/files.mjs';
import { check } from './check.mjs';
import { kinds, runElection, slack } from './election-run.mjs';
import { checkJournals } from './journals.mjs';
import { media } from './media.mjs';
import { chosenMistakes, isGood, runMistakes } from './mistakes/mistakes.mjs';
import { followers, machine, mediaOfRows, mediumNames, plan, protocolNames } from './plan.mjs';
import {
  electionsPage,
  electionsTable,
  mistakesPage,
  mistakesTable,
  resultsPage,
  resultsTables,
  rowsPage,
} from './report.mjs';
import { missingFaketime, Run } from './run.mjs';

const options = givenOptions();
const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'conclave-torture-'));
const head = { date: new Date().toISOString(), machine: machine() };
let current;
let interrupted = false;
const isWhole = ({ violations, missing = [] }) => violations.length + missing.length === 0;
const mode = options.mistakes ? ofMistakes : options.elections ? ofElections : ofLocks;
const { results, good, text, pages } = await mode();
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
if (options.json)
  console.log(JSON.stringify({ ...results, ...(options.keep && { folder }) }, null, 2));
else console.log(text);
if (options.record && good) {
  for (const [path, page] of Object.entries(pages)) write(path, page());
  console.error(`Recorded in ${Object.keys(pages).join(' and ')}.`);
} else if (options.record) console.error('Not recorded: a run failed.');
if (options.keep || !good) console.error(`The logs are in ${folder}`);
else rmSync(folder, { recursive: true });
process.exit(good ? 0 : 1);

async function ofMistakes() {
  const { only, short, numbers, minutes } = options;
  const chosen = only && options.media;
  const command = `npm run torture -- --mistakes --minutes ${minutes}${chosen ? ` --only ${only}` : ''}`;
  const runs = await runMistakes({ chosen, short, numbers, minutes, folder, show });
  const results = { ...head, command, runs };
  return {
    ...{ results, good: runs.length > 0 && runs.every(isGood), text: mistakesTable(runs) },
    pages: { 'docs/mistakes.md': () => mistakesPage(results) },
  };
}

async function ofElections() {
  const { kills, seed, record: strict } = options;
  const runs = [];
  for (const kind of options.kinds)
    for (const medium of kinds[kind].media)
      runs.push(await runElection({ kind, medium, kills, seed, strict }));
  const results = { ...head, kills, slack, runs };
  return {
    ...{ results, good: runs.every(isWhole), text: electionsTable(runs) },
    pages: { 'docs/torture-elections.md': () => electionsPage(results) },
  };
}

async function ofLocks() {
  const { seed, short, media, protocols } = options;
  const command = commandOf(options);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      interrupted = true;
      current?.fail(`interrupted by ${signal}`);
    });
  if (!options.json) console.log(`Seed ${seed}. Again: ${command}`);
  const [runs, elections] = [[], []];
  for (const planned of plan(options)) if (!interrupted) runs.push(await oneRun(planned));
  if (protocols.includes(followers))
    for (const medium of kinds.followers.media) {
      if (interrupted || !media.includes(medium)) continue;
      elections.push(await runElection({ kind: followers, medium, kills: short ? 4 : 40, seed }));
    }
  const results = { date: head.date, seed, command, machine: head.machine, runs, elections };
  const rows = runs.filter(({ medium }) => mediaOfRows.includes(medium));
  const others = runs.filter(({ medium }) => !mediaOfRows.includes(medium));
  return {
    results,
    good: !interrupted && [...runs, ...elections].every(isWhole),
    text: [
      ...(runs.length > 0 ? [resultsTables(results)] : []),
      ...(elections.length > 0 ? [electionsTable(elections)] : []),
    ].join('\n'),
    pages: {
      'reports/torture.json': () => `${JSON.stringify(results, null, 2)}\n`,
      ...(others.length > 0 && {
        'docs/torture.md': () => resultsPage({ ...results, runs: others }),
      }),
      ...(rows.length > 0 && {
        'docs/torture-rows.md': () => rowsPage({ ...results, runs: rows }),
      }),
    },
  };
}

async function oneRun(planned) {
  const { medium, protocol, most } = planned;
  const title = `${medium} ${protocol.key}`;
  const logs = join(folder, title.replace(' ', '-'));
  const run = new Run({ ...planned, folder: logs, until: Date.now() + most });
  current = run;
  const progress = setInterval(() => show(progressOf(title, run)), 500);
  const result = await checked(run);
  clearInterval(progress);
  for (const text of [...result.violations, ...result.missing].slice(0, 20))
    console.error(`${title}: ${text}`);
  const leftOut = protocol.row && missingFaketime ? [missingFaketime] : [];
  for (const text of leftOut) console.error(`${title}: ${text}`);
  return { medium, protocol: protocol.key, leftOut, ...result };
}

/** Runs it, ends all its processes, and checks its logs and journals. */
async function checked(run) {
  try {
    await run.all();
  } catch (error) {
    run.fail(error.stack ?? String(error));
    run.log('ended');
  }
  const seconds = (Date.now() - run.started) / 1000;
  const survivors = await run.close();
  const { medium, protocol, nodes, names, conditions, calm, seed } = run.options;
  const { hasBroker, server: hasServer } = media[medium];
  const setting = {
    ...{ medium, protocol, nodes, names: run.names, jobs: run.jobs, conditions, calm, seed },
    hasBroker,
  };
  const observed = {
    counts: run.counts,
    failures: run.failures,
    survivors,
    processes: run.processes,
    // as the checker sees them: a process that is killed at any time is inside, waiting or idle
    expected: run.kinds.filter(
      (kind) => !['kill-written', 'kill-anytime', 'kill-ticking'].includes(kind),
    ),
  };
  writeFileSync(join(run.folder, 'run.json'), JSON.stringify({ ...setting, ...observed }));
  const found = check(run.folder);
  if (run.failures.length === 0)
    checkJournals(
      {
        folder: run.folder,
        nodes,
        names: run.journaled,
        protocol,
        newcomer: run.newcomer?.replace(' ', '.'),
      },
      found,
    );
  const server = run.network?.server ?? hasServer?.();
  return { seconds, names, rounds: run.rounds, hasBroker, server, ...found };
}

function progressOf(title, { started, store, rounds, faults }) {
  const rate = Math.round(store.writes / ((Date.now() - started) / 1000));
  const now = [...faults.current.values()].join(', ') || 'calm';
  return `${title}: ${store.writes} entries, ${rate}/s, round ${rounds}, ${now}`;
}

/** Replaces the line on a terminal. */
function show(text) {
  const { isTTY, columns = 120 } = process.stderr;
  if (isTTY) process.stderr.write(`\r${text.slice(0, columns - 1)}\x1b[K`);
}

function commandOf({ seed, entries, media, protocols, names, short }) {
  const all = media.length === mediumNames.length ? '' : ` --only ${media.join(',')}`;
  const some =
    protocols.length === protocolNames.length ? '' : ` --protocols ${protocols.join(',')}`;
  return `npm run torture -- --seed ${seed} --entries ${entries} --names ${names}${all}${some}${short ? ' --short' : ''}`;
}

function givenOptions() {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  const values = parsed({
    only: text,
    protocols: { ...text, default: protocolNames.join(',') },
    entries: { ...text, default: '20000' },
    minutes: text,
    names: { ...text, default: '64' },
    journals: { ...text, default: '2' },
    seed: { ...text, default: String(Date.now()) },
    folder: text,
    elections: flag,
    kills: { ...text, default: '200' },
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
    ...mediaOrKinds(values),
    kills: count(values.kills, 'kills'),
    protocols: listed(values.protocols, protocolNames, 'protocol'),
    entries: count(values.entries, 'entries'),
    minutes: count(values.minutes ?? (values.mistakes ? '1' : '15'), 'minutes'),
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

/** What `--only` chooses: transports, or with `--elections` kinds of elections. */
function mediaOrKinds({ elections, only }) {
  if (!elections) return { media: listed(only ?? mediumNames.join(), mediumNames, 'transport') };
  const all = Object.keys(kinds);
  return { kinds: listed(only ?? all.join(), all, 'election') };
}

/** The numbers of the mistakes, as text; with `--short`, of those that are among them. */
function numbersOf({ short }) {
  return [...new Set(chosenMistakes({ short }).map(({ number }) => String(number)))].sort();
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
