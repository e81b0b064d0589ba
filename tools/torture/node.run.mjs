/**
 * One process of a run: enters under each name again and again, and counts. The argument is its
 * configuration as JSON.
 *
 * The harness orders faults: `inside`, `written`, `waiting` or `idle` names where the process shall
 * be when the fault hits. The process says that it is there and stays there until it is told to go
 * on, or is killed.
 */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { changeVoters, startJobs } from './jobs.mjs';
import { openLocks } from './locks.mjs';
import { appender, now, word } from './log.mjs';
import { between, pause, randomOf } from './random.mjs';
import { storeClient } from './store.mjs';

const config = JSON.parse(process.argv[2]);
const { self, incarnation, folder, names, think, seed } = config;
const random = randomOf(seed, self, incarnation);
const append = appender(join(folder, 'entries.log'));
const log = (what, name, ...words) => append(what, self, incarnation, name, ...words);

let order;
let goOn;
let stopping = false;
let idle = 0;
let unparked;
const store = storeClient(config.store, self, incarnation, (message) => {
  if (message.order === 'go') {
    order = undefined;
    goOn?.(message);
    goOn = undefined;
  } else if (message.order === 'stop') stopping = true;
  else if (message.order === 'close') void end();
  else order = message;
});
const fail = (error) => {
  log('failed', '-', word(error.code ?? error.name), word(error.message));
  store.tell({ failed: { code: error.code, message: error.message } });
};
process.on('uncaughtException', (error) => {
  console.error(error);
  fail(error);
  setTimeout(() => process.exit(1), 100);
});
watchStalls();
log('start', '-');

const report = (error) => {
  log('error', '-', word(error.code), word(error.message));
  store.tell({ error: { code: error.code, message: error.message } });
};
const { options } = config.protocol;
const { locks, jobs, counts, close } = await openLocks(config, {
  onError: report,
  onStatus: ({ state }) => log('status', '-', state),
});
setInterval(() => store.tell({ counts: counts() }), 200).unref();
const stopJobs = startJobs(jobs, { folder, store, log, due, reached, report });
await Promise.all([...locks].map(([name, lock]) => enterAgainAndAgain(name, lock).catch(fail)));
await stopJobs();
// the others may need this process: it goes on until it is told to close
store.tell({ state: 'done' });

async function end() {
  if (options?.voters) for (const [name, lock] of locks) log('voters', name, lock.voters.join(','));
  await close();
  store.tell({ counts: counts(), state: 'closed' });
  log('end', '-');
  process.exit(0);
}

async function enterAgainAndAgain(name, lock) {
  for (;;) {
    await pause(between(random, 0, 2 * think));
    if (order?.at === 'idle') await parked();
    if (stopping) return;
    if (options?.voters && (due('changing', name) || random.chance(0.05)))
      await changeVoters(lock, { ...config, log, random, name, report, reached: changing(name) });
    log('wait', name);
    const acquired = lock.acquire();
    if (due('waiting', name)) void reached('waiting', name);
    await inside(name, await acquired);
  }
}

async function inside(name, held) {
  const { fencingToken: token, signal } = held;
  log('enter', name, token);
  const onLost = () => log('lost', name, token, word(signal.reason?.message ?? signal.reason));
  if (signal?.aborted) onLost();
  else signal?.addEventListener('abort', onLost, { once: true });
  const read = await store.read(name, token);
  let written = 'no';
  if (read.accepted) {
    let careful = true;
    if (due('spin', name)) careful = await spin(name, held);
    if (due('inside', name)) ({ careful } = await reached('inside', name));
    // A program that does not look at the signal writes late; the store refuses it.
    if (!(careful && held.signal?.aborted)) {
      const write = await store.write(name, token, read.value + 1);
      written = write.accepted ? read.value + 1 : 'refused';
      if (due('written', name)) await reached('written', name);
    }
  } else written = 'refused';
  signal?.removeEventListener('abort', onLost);
  log('leave', name, token, written);
  held.release();
}

/**
 * Keeps the thread busy for as long as the harness says; then asks at once whether it still has the
 * lock. Whether the process heeds the answer.
 */
async function spin(name, held) {
  const { time, careful } = order;
  order = undefined;
  store.tell({ at: 'spin', name });
  await pause(0);
  const start = performance.now();
  while (performance.now() - start < time);
  const outcome = held.remaining > 0 ? 'kept' : 'lost';
  log('spun', name, held.fencingToken, Math.floor(performance.now() - start), outcome);
  return careful;
}

function due(at, name) {
  return order?.at === at && order.name === name;
}

/** Resolves with what the harness says. */
function reached(at, name) {
  order = undefined;
  return new Promise((resolve) => {
    goOn = resolve;
    store.tell({ at, name });
  });
}

/** Tells the harness in the middle of a change that it waits for, if it does. */
function changing(name) {
  return due('changing', name) ? () => reached('changing', name) : undefined;
}

/** Waits with the other names; the last one says that the process is idle. */
async function parked() {
  unparked ??= new Promise((resolve) => {
    goOn = resolve;
  });
  if (++idle === names.length) store.tell({ at: 'idle', name: '-' });
  await unparked;
  idle--;
  unparked = undefined;
}

/**
 * Writes down when the timers of this process did not run for a while: it was stopped, or busy, or
 * the machine had no time for it. The file `ran-…` has the time when they ran last: the process may
 * be killed before they run again.
 */
function watchStalls() {
  const period = 10;
  const file = openSync(join(folder, `ran-${self}-${incarnation}`), 'w');
  let last = now();
  const run = () => {
    const time = now();
    if (time - last > 2 * period * 1000) log('stall', '-', last, time);
    last = time;
    writeSync(file, String(time).padStart(16, '0'), 0);
  };
  run();
  setInterval(run, period).unref();
}
