/**
 * A user's program: one process, or thread, with a lock that it enters again and again, or with an
 * election in which it takes part. Many are started with configurations that contradict each other,
 * such as two processes of one name. It judges nothing: it logs what it is told, when it enters and
 * when it leaves, and site.mjs reads the logs of all. The argument is its configuration as JSON. It
 * ends with 2 where it is refused.
 */
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { heartbeat } from '@conclave/algorithms/heartbeat';
import { messagePortTransport } from '@conclave/core/embedding';
import { fileStorage } from '@conclave/core/embedding/node';
import { openElection } from '../election.mjs';
import { appender, word } from '../log.mjs';
import { media, reliably } from '../media.mjs';
import { pause } from '../random.mjs';

const config = JSON.parse(process.argv[2]);
const { self, label, nodes, epoch, medium, protocol, options, data, think } = config;
const { network = 'torture' } = config;
const isElection = protocol === 'lease' || protocol === 'bully';
const append = appender(join(config.folder, 'mistakes.log'));
const log = (what, ...words) => append(what, label, ...words);
const refused = (error) => {
  log('refused', word(error.code), word(error.message));
  setTimeout(() => process.exit(2), 50); // what it has told the others leaves first
};

log('start');
watchTimers();
const peers = config.peers ?? nodes.filter((id) => id !== self);
const wire = workerData
  ? messagePortTransport(self, workerData)
  : await media[medium].transport({ self, peers, network, ...config.address });
const embedding = {
  ...{ self, nodes, epoch },
  transport: config.reliable ? reliably(wire) : wire,
  ...(config.stores && { storage: fileStorage(join(data, label)) }),
  onError: (error) => log('error', word(error.code), word(error.message)),
};
try {
  const opened = isElection ? await openElection(protocol, options, embedding) : await openLock();
  process.on('SIGTERM', () => void opened.close().then(() => process.exit(0)));
  await (isElection ? takePart(opened) : enterAgainAndAgain(opened));
} catch (error) {
  refused(error);
}

/** Only what this process needs is loaded: a run starts many. */
async function openLock() {
  const { lock } = await import('@conclave/coordination/lock');
  const [chosen] = Object.values(await import(`@conclave/algorithms/${protocol}`));
  return lock(chosen(options), {
    ...embedding,
    ...(config.detector && { detector: heartbeat(config.detector) }),
  });
}

/** A leadership is in the log as an entry of a lock is. */
async function takePart(election) {
  for await (const leader of election) {
    log('knows', leader?.id ?? '-');
    const { leadership } = leader ?? {};
    if (!leadership || leadership.signal.aborted) continue;
    log('enter', leadership.fencingToken ?? leadership.term);
    leadership.signal.addEventListener('abort', () => log('leave', 'lost'), { once: true });
  }
}

async function enterAgainAndAgain(lock) {
  for (;;) {
    let held;
    try {
      held = await lock.acquire({ waitFor: 3000 });
    } catch (error) {
      if (error.code !== 'timed-out') return error.code === 'closed' ? undefined : refused(error);
      log('late', word(error.message));
      continue;
    }
    log('enter', held.fencingToken ?? '-');
    const onLost = () => log('leave', 'lost');
    held.signal.addEventListener('abort', onLost, { once: true });
    if (think > 0) await pause(think);
    held.signal.removeEventListener('abort', onLost);
    if (!held.signal.aborted) log('leave', 'released');
    held.release();
    if (think > 0) await pause(think);
  }
}

/** Writes down the longest time for which a timer of 10 ms did not fire. */
function watchTimers() {
  let last = performance.now();
  let longest = 0;
  setInterval(() => {
    const now = performance.now();
    if (now - last > longest) {
      longest = now - last;
      log('stall', Math.round(longest));
    }
    last = now;
  }, 10).unref();
}
