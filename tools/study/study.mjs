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
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import cliProgress from 'cli-progress';
import { allChapters, chapterPage, indexPage } from './chapters.mjs';
import { folderOf, studyOptions } from './options.mjs';
import { mergedShards, placesOf, shardText } from './shards.mjs';

const run = fileURLToPath(new URL('study.run.mjs', import.meta.url));
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
