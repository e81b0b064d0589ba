/**
 * `npm run study`: computes the chapters of the study, and writes a page with pictures for each.
 *
 * --only A,B   only these chapters; default: all
 * --quick      small sizes, less than a minute
 * --out DIR    where; default: docs/study, and reports/study with --quick
 * --seed N     of all that is drawn; default: 1
 * --workers N  how many chapters at a time; default: 2
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
import { allChapters, chapterNames, chapterPage } from './chapters.mjs';
import { indexPage } from './index-page.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = fileURLToPath(new URL('study.run.mjs', import.meta.url));
const { only, quick, out, seed, workers } = options();
const all = await allChapters();
const chapters = all.filter(({ name }) => only.includes(name));
const started = performance.now();
const secondsSince = (time) => ((performance.now() - time) / 1000).toFixed(1);

const parts = new Map(chapters.map(({ name }) => [name, 0]));
const bar = progressBar();
mkdirSync(out, { recursive: true });
const failures = [];
const waiting = [...chapters];
await Promise.all(Array.from({ length: workers }, workerLoop));
bar?.stop();
const pageOf = (name) => {
  const path = join(out, `${name}.md`);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};
writeFileSync(join(out, 'README.md'), indexPage(all, pageOf, seed));
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
else console.log(`${join(out, 'README.md')}, in ${secondsSince(started)} s`);

async function workerLoop() {
  for (let chapter = waiting.shift(); chapter; chapter = waiting.shift()) {
    const { name } = chapter;
    const startedAt = performance.now();
    const { result, failed } = await computed(name);
    parts.set(name, 1);
    if (failed) failures.push(`${name}: its process ended with ${failed}.`);
    else {
      const { markdown, files } = result;
      writeFileSync(join(out, `${name}.md`), chapterPage(chapter, markdown, seed));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(out, file), text);
    }
    if (!bar) console.log(`${name}: ${secondsSince(startedAt)} s`);
  }
}

/** What the process of a chapter sends at its end, or how it failed; its errors are on stderr. */
function computed(name) {
  const child = fork(run, [name, String(seed), quick ? 'quick' : 'whole']);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill());
  return new Promise((settle) => {
    let result;
    child.on('message', (message) => {
      if (message.result) ({ result } = message);
      else show(name, message.progress);
    });
    child.once('close', (status, signal) =>
      settle(status === 0 && result ? { result } : { failed: signal ?? `exit code ${status}` }),
    );
  });
}

function progressBar() {
  if (!process.stderr.isTTY) return undefined;
  const made = new cliProgress.SingleBar({
    format: '{bar} {line}',
    barsize: 20,
    clearOnComplete: true,
    stream: process.stderr,
  });
  made.start(Math.max(1, chapters.length), 0, { line: '' });
  return made;
}

function show(name, { done, total, label = '' }) {
  parts.set(name, total > 0 ? done / total : 0);
  const sum = [...parts.values()].reduce((total, part) => total + part, 0);
  bar?.update(sum, { line: `${name}: ${label === '' ? `${done} of ${total}` : label}` });
}

function options() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        out: { type: 'string' },
        seed: { type: 'string', default: '1' },
        workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
      },
    });
    const { quick, seed, workers } = values;
    if (!/^\d+$/.test(seed)) throw new Error(`--seed ${seed} is not a whole number`);
    if (!/^[1-9]\d*$/.test(workers))
      throw new Error(`--workers ${workers} is not a number of chapters`);
    const only = values.only?.split(',') ?? chapterNames;
    const unknown = only.find((name) => !chapterNames.includes(name));
    if (unknown !== undefined)
      throw new Error(`There is no chapter '${unknown}': there are ${chapterNames.join(', ')}`);
    const folder = values.out ?? join(root, quick ? 'reports/study' : 'docs/study');
    return { only, quick, out: resolve(folder), seed: Number(seed), workers: Number(workers) };
  } catch (error) {
    console.error(
      `${error.message}.\nUsage: npm run study -- [--only CHAPTER,…] [--quick] [--out DIR] [--seed N] [--workers N]`,
    );
    return process.exit(2);
  }
}
