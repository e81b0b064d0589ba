/** In which order, and how many at a time, the systems are searched. */
import { fork } from 'node:child_process';
import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { nameOf } from './systems.mjs';

const run = fileURLToPath(new URL('./verify.run.mjs', import.meta.url));
const memory = (freemem() / 2 ** 20) * 0.9;

/**
 * Searches all `rows`, `atOnce` at a time, the longest first, and calls `done` with what each
 * found, or with `{ failed }`. A row that needs more than half of the memory runs alone.
 */
export async function runAll(rows, { atOnce, recorded }, done) {
  const waiting = rows
    .map((row) => ({ row, ...estimate(row, recorded) }))
    .sort((a, b) => b.seconds - a.seconds);
  const running = new Set();
  const killAll = (signal) => {
    for (const { child } of running) child.kill();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, killAll);
  while (waiting.length + running.size > 0) {
    for (let job = next(waiting, running, atOnce); job; job = next(waiting, running, atOnce))
      start(job, running, atOnce);
    const { job, found } = await Promise.race([...running].map(({ ended }) => ended));
    running.delete(job);
    clearLine();
    done(job.row, found);
  }
}

/** Seconds and MB, as recorded. Rows of several networks hold one of them at a time. */
function estimate(row, recorded) {
  const before = recorded.get(nameOf(row));
  if (!before) return { seconds: Number.POSITIVE_INFINITY, peak: 300 };
  const networks = row.runs.length;
  const { seconds, peak, expected } = before;
  return { seconds, peak: networks === 1 ? peak : 300 + (400e-6 * expected.states) / networks };
}

/** Takes the next job out of `waiting`: the longest one that fits beside those that run. */
function next(waiting, running, atOnce) {
  if (running.size >= atOnce || [...running].some(({ alone }) => alone)) return undefined;
  const index = waiting.findIndex(
    ({ peak }) => running.size === 0 || (peak <= memory / 2 && peak <= memory - taken(running)),
  );
  const [job] = index < 0 ? [] : waiting.splice(index, 1);
  if (job) job.alone = job.peak > memory / 2;
  return job;
}

const taken = (running) => [...running].reduce((sum, { peak }) => sum + peak, 0);

function start(job, running, atOnce) {
  const limit = Math.max(memory - taken(running), memory / atOnce / 2);
  const { id = '', place } = job.row;
  job.child = fork(run, [id, String(place), String(Math.round(limit))]);
  running.add(job);
  job.ended = new Promise((resolve) => {
    let found;
    job.child.on('message', (message) => {
      if (message.found) found = message.found;
      else showProgress(job, message, running.size);
    });
    job.child.once('close', (status, signal) => {
      resolve({
        job,
        found: status === 0 && found ? found : { failed: signal ?? `exit code ${status}` },
      });
    });
  });
}

function showProgress({ row }, { states, depth }, running) {
  if (!process.stderr.isTTY) return;
  const others = running > 1 ? `, and ${running - 1} more` : '';
  process.stderr.write(
    `\r${row.system}: ${states.toLocaleString('en')} states, ${depth} steps deep${others}\x1b[K`,
  );
}

function clearLine() {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}
