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
import { fileStore } from '@conclave/coordination/node';
import { once } from '@conclave/coordination/once';
import { openLocks } from './locks.mjs';
import { appender, now, word } from './log.mjs';
import { between, pause, randomOf } from './random.mjs';
import { storeClient } from './store.mjs';

const config = JSON.parse(process.argv[2]);
const { self, incarnation, folder, names, think, seed } = config;
const random = randomOf(seed, self, incarnation);
const append = appender(join(folder, 'entries.log'));
const log = (what, name, ...words) => append(what, self, incarnation, name, ...words);

/** Of the jobs: the time from one tick to the next, and how long a job takes, in milliseconds. */
const [every, duration] = [50, 15];
/** How many vote at least, of five nodes. */
const leastVoters = 3;
/** What a change of voters may end with: the lock is lost, or too many do not answer. */
const expectedFailures = ['lost', 'timed-out'];

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
watchClock();
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
const stopJobs = startJobs();
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
      await changeVoters(lock, name);
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

/** Says when the wall clock of this process has jumped: the harness has set it. */
function watchClock() {
  let before = Date.now() - performance.now();
  const look = () => {
    const difference = Date.now() - performance.now();
    if (Math.abs(difference - before) > 5_000) {
      log('jumped', '-', Math.round(difference - before));
      store.tell({ at: 'clock', name: '-' });
    }
    before = difference;
  };
  setInterval(look, 10).unref();
}

/**
 * Jobs that run once among the processes at each tick, beside the entries and under the same
 * faults. Returns what stops them all.
 */
function startJobs() {
  const ticks = fileStore(join(folder, 'ticks'));
  const started = [...jobs].map(([name, lock]) => {
    const job = once(
      lock,
      name,
      { every },
      async ({ tick, token, signal }) => {
        log('began', name, token, tick.getTime());
        await pause(duration);
        let careful = true;
        if (due('ticking', name)) ({ careful } = await reached('ticking', name));
        if (careful && signal.aborted) return void log('dropped', name, token, tick.getTime());
        await store.tick(name, token, tick.getTime());
      },
      {
        ...{ store: ticks, catchUp: 'all' },
        // the lock is lost by the faults
        onError: (error) => error.code !== 'lost' && report(error),
      },
    );
    job.event$.subscribe(({ type, tick }) => {
      if (type === 'interrupted' || type === 'skipped') log(type, name, '-', tick?.getTime() ?? 0);
    });
    return job;
  });
  return () => Promise.all(started.map((job) => job.stop()));
}

/**
 * Changes the voters of a lock, while it has entries and faults. Where the harness waits for that,
 * it is told in the middle, and may kill the process there.
 */
async function changeVoters(lock, name) {
  const { lease } = config.protocol;
  const { add, remove } = changeOf(lock.voters);
  const isMeant = due('changing', name);
  log('changing', name, listed(add), listed(remove));
  const changed = lock.changeVoters({ add, remove }, { waitFor: 10 * lease }).then(
    (voters) => ['changed', listed(voters)],
    (error) => {
      if (!expectedFailures.includes(error.code)) report(error);
      return ['unchanged', error.code];
    },
  );
  // one that is killed there has not heard how the change ends
  if (isMeant) {
    await pause(between(random, 0, lease / 10));
    await reached('changing', name);
  }
  const [how, outcome] = await changed;
  log(how, name, outcome);
}

/** One more, one less, or another one. */
function changeOf(voters) {
  const others = config.nodes.filter((node) => !voters.includes(node));
  const add = others.length > 0 ? [random.pick(others)] : [];
  const remove = voters.length > leastVoters || add.length > 0 ? [random.pick(voters)] : [];
  if (voters.length === leastVoters && random.chance(0.5)) return { add, remove: [] };
  if (voters.length > leastVoters && random.chance(0.5)) return { add: [], remove };
  return { add, remove };
}

function listed(nodes) {
  return nodes.join(',') || '-';
}
