/** The node of a lock in a worker thread: see protocols with `watch` in plan.mjs. */
import { parentPort, workerData } from 'node:worker_threads';
import { serveLock } from '@conclave/coordination/worker';
import { openLocks } from './locks.mjs';

const tell = (what) => parentPort.postMessage({ type: 'torture', ...what });
const { locks, counts } = await openLocks(workerData, {
  onError: ({ code, message }) => tell({ error: { code, message } }),
  onStatus: ({ state }) => tell({ status: { state } }),
});
setInterval(() => tell({ counts: counts() }), 100).unref();
const [[, lock]] = locks;
serveLock(lock);
