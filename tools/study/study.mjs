/**
 * `npm run study`: computes the chapters of the study, and writes a page with pictures for each.
 *
 * --only A,B     only these chapters; default: all
 * --quick        small sizes, less than a minute
 * --out DIR      where; default: docs/study, and reports/study with --quick
 * --seed N       of all that is drawn; default: 1
 * --workers N    how many chapters at a time; default: 2
 * --shard I/N    one of N equal parts, for as many machines: writes what --merge joins
 * --merge FILE…  the pages from the results of all shards, the same bytes as without shards
 *
 * Exit code 1: a chapter failed. 2: the arguments are wrong.
 */
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import cliProgress from 'cli-progress';
import { allChapters, chapterNames, chapterPage, indexPage } from './chapters.mjs';
import { mergedShards, placesOf, shardText } from './shards.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = fileURLToPath(new URL('chapters.mjs', import.meta.url));
const usage =
  'Usage: npm run study -- [--only CHAPTER,…] [--quick] [--out DIR] [--seed N] [--workers N] [--shard I/N | --merge FILE…]';

const known = {
  only: { type: 'string' },
  quick: { type: 'boolean', default: false },
  out: { type: 'string' },
  seed: { type: 'string', default: '1' },
  workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
  shard: { type: 'string' },
  merge: { type: 'boolean', default: false },
};
const options = studyOptions();
const { shard, merge } = options;
let out = folderOf(options.out, options);
const all = await allChapters();
const started = performance.now();
const secondsSince = (time) => ((performance.now() - time) / 1000).toFixed(1);
if (merge) await writeMerged();
else await compute();

/** All chapters, or what the shard has of them, in processes. */
async function compute() {
  mkdirSync(out, { recursive: true });
  const { only, quick, seed, workers } = options;
  const chapters = all.filter(({ name }) => only.includes(name));
  const places = shard && placesOf(chapters, { quick, seed }, shard);
  const bar = progressBar(chapters);
  const found = new Map();
  const failures = [];
  const waiting = chapters.filter(({ name }) => places?.get(name).length !== 0);
  const loop = async () => {
    for (let chapter = waiting.shift(); chapter; chapter = waiting.shift()) {
      const { name } = chapter;
      const startedAt = performance.now();
      const { result, failed } = await computed(
        { name, seed, quick, places: places?.get(name) },
        bar,
      );
      bar?.show(name, { done: 1, total: 1 });
      if (failed) failures.push(`${name}: its process ended with ${failed}.`);
      else if (shard) found.set(name, result.results);
      else writeChapter(chapter, result, seed);
      if (!bar) console.log(`${name}: ${secondsSince(startedAt)} s`);
    }
  };
  await Promise.all(Array.from({ length: workers }, loop));
  bar?.stop();
  if (!shard) writeIndex(seed);
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;
  else if (shard)
    await writeShard(new Map(chapters.map(({ name }) => [name, found.get(name) ?? []])));
  else console.log(`${join(out, 'README.md')}, in ${secondsSince(started)} s`);
}

async function writeShard(results) {
  const path = join(out, `shard-${shard.index}-of-${shard.of}.json`);
  writeFileSync(path, await shardText(shard, options, results));
  console.log(`${path}, in ${secondsSince(started)} s`);
}

async function writeMerged() {
  try {
    const { options: given, results } = await mergedShards(merge, all);
    out = folderOf(options.out, given);
    mkdirSync(out, { recursive: true });
    for (const chapter of all) {
      const found = results.get(chapter.name);
      if (found) writeChapter(chapter, await chapter.page(found, given), given.seed);
    }
    writeIndex(given.seed);
    console.log(join(out, 'README.md'));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 2;
  }
}

function writeChapter(chapter, { markdown, files = {} }, seed) {
  writeFileSync(join(out, `${chapter.name}.md`), chapterPage(chapter, markdown, seed));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(out, file), text);
}

function writeIndex(seed) {
  const pageOf = (name) => {
    const path = join(out, `${name}.md`);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  writeFileSync(join(out, 'README.md'), indexPage(all, pageOf, seed));
}

/** What the process of a chapter sends at its end, or how it failed; its errors are on stderr. */
function computed(given, bar) {
  const child = fork(run, [JSON.stringify(given)], { serialization: 'advanced' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill());
  return new Promise((settle) => {
    let result;
    child.on('message', (message) => {
      if (message.result) ({ result } = message);
      else bar?.show(given.name, message.progress);
    });
    child.once('close', (status, signal) =>
      settle(status === 0 && result ? { result } : { failed: signal ?? `exit code ${status}` }),
    );
  });
}

function progressBar(chapters) {
  if (!process.stderr.isTTY) return undefined;
  const parts = new Map(chapters.map(({ name }) => [name, 0]));
  const made = new cliProgress.SingleBar({
    format: '{bar} {line}',
    barsize: 20,
    clearOnComplete: true,
    stream: process.stderr,
  });
  made.start(Math.max(1, chapters.length), 0, { line: '' });
  const show = (name, { done, total, label = '' }) => {
    parts.set(name, total > 0 ? done / total : 0);
    const sum = [...parts.values()].reduce((total, part) => total + part, 0);
    made.update(sum, { line: `${name}: ${label === '' ? `${done} of ${total}` : label}` });
  };
  return { show, stop: () => made.stop() };
}

/** Ends the process where they are wrong. */
function studyOptions() {
  try {
    const { values, positionals } = parseArgs({ options: known, allowPositionals: true });
    return { ...computedOf(values), ...places(values, positionals) };
  } catch (error) {
    console.error(`${error.message}.\n${usage}`);
    return process.exit(2);
  }
}

function computedOf({ seed, workers, only: given, quick }) {
  if (!/^\d+$/.test(seed)) throw new Error(`--seed ${seed} is not a whole number`);
  if (!/^[1-9]\d*$/.test(workers))
    throw new Error(`--workers ${workers} is not a number of chapters`);
  const only = given?.split(',') ?? chapterNames;
  const unknown = only.find((name) => !chapterNames.includes(name));
  if (unknown !== undefined)
    throw new Error(`There is no chapter '${unknown}': there are ${chapterNames.join(', ')}`);
  return { only, quick, seed: Number(seed), workers: Number(workers) };
}

/** Where it is computed, and written. */
function places({ shard: given, merge, out }, files) {
  const [, index, of] = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(given ?? '1/1') ?? [];
  if (of === undefined || Number(index) > Number(of))
    throw new Error(`--shard ${given} is not one of several, such as 2/8`);
  if (merge && given !== undefined)
    throw new Error('--shard computes one part, and --merge joins all');
  if (merge && files.length === 0) throw new Error('--merge needs the files of all shards');
  if (!merge && files.length > 0) throw new Error(`'${files[0]}' is no option`);
  const shard = given === undefined ? undefined : { index: Number(index), of: Number(of) };
  return { out, shard, merge: merge ? files : undefined };
}

/** Where it is written: in the documentation, or, where that would be wrong, among the reports. */
function folderOf(out, { quick, shard }) {
  return resolve(out ?? join(root, quick || shard ? 'reports/study' : 'docs/study'));
}
