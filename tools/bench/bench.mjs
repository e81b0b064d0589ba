/**
 * `npm run bench`: measures Conclave beside other tools, prints tables and whether the targets are
 * met.
 *
 * Arguments name the parts: steps, simulate, explore, plain, cold, lock, row. Default: all
 * --runs N     measurements of each, of which the median counts. Default 5; those that take minutes are made once
 * --quick      one measurement of each, and only systems that take seconds
 * --json       prints the results as JSON instead of tables
 * --record     writes tools/bench/results.json and tools/bench/results.md. `npm run generate` takes the README's paragraph from there
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { versionOf } from './measured.mjs';
import { lock, row } from './parts/lock.mjs';
import { cold, explore, plain, simulate, steps } from './parts.mjs';
import { benchTables, resultsPage, resultsText } from './results.mjs';

const parts = { steps, simulate, explore, plain, cold, lock, row };
const file = (name) => new URL(name, import.meta.url);

const { names, runs, quick, json, record } = options();
const chosen = names.length === 0 ? Object.keys(parts) : names;
for (const name of chosen) if (!Object.hasOwn(parts, name)) refuse(`There is no part '${name}'`);

const results = { ...heading(), runs: quick ? 1 : Number(runs), parts: [] };
for (const name of chosen) {
  const notes = [];
  const context = {
    runs: results.runs,
    quick,
    note: (text) => notes.push(text),
    progress: (text) => process.stderr.isTTY && process.stderr.write(`\r${name}: ${text}\x1b[K`),
    failed: (tool, error) => {
      notes.push(`${tool} failed: ${error.message.split('\n')[0]}`);
      process.exitCode = 1;
    },
  };
  const rows = await parts[name](context);
  results.parts.push({ name, rows, notes });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  if (!json) console.log(benchTables({ ...results, parts: results.parts.slice(-1) }));
}
if (json) console.log(JSON.stringify(results, null, 2));
if (record) {
  const all = withEarlier(results);
  writeFileSync(file('results.json'), resultsText(all));
  writeFileSync(file('results.md'), resultsPage(all));
  console.error(
    'Recorded in tools/bench/results.json and tools/bench/results.md. Run npm run generate for the README.',
  );
}

/**
 * A part that was not measured now keeps the results, date and machine of its last record; so does
 * the whole where only some parts were measured.
 */
function withEarlier({ parts: now, ...head }) {
  let before = { ...head, parts: [] };
  try {
    before = JSON.parse(readFileSync(file('results.json'), 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  const { parts: earlier, ...session } = before;
  const all = [
    ...now.map((part) => ({ ...part, ...head })),
    ...earlier.map((part) => ({ ...session, ...part })),
  ];
  return {
    ...(now.length === Object.keys(parts).length ? head : session),
    parts: Object.keys(parts).flatMap((name) => all.find((part) => part.name === name) ?? []),
  };
}

function heading() {
  const versions = {
    node: process.version,
    spin: versionOf('spin', '-V'),
    gcc: versionOf('gcc', '--version'),
  };
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores`,
    load: Number(loadavg()[0].toFixed(1)),
    versions: Object.fromEntries(Object.entries(versions).filter(([, version]) => version)),
  };
}

function options() {
  try {
    const { values, positionals: names } = parseArgs({
      allowPositionals: true,
      options: {
        runs: { type: 'string', default: '5' },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
      },
    });
    if (!/^[1-9]\d*$/.test(values.runs))
      throw new Error(`--runs ${values.runs} is not a number of measurements`);
    if (values.quick && values.record)
      throw new Error('--record needs the whole systems: omit --quick');
    return { ...values, names };
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(what) {
  console.error(
    `${what}. Try npm run bench -- [${Object.keys(parts).join('] [')}] [--runs N] [--quick] [--json] [--record].`,
  );
  process.exit(2);
}
