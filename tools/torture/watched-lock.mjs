/** The lock of a process whose node lives in a worker thread: its only one. */
import { Worker } from 'node:worker_threads';
import { workerLock } from '@conclave/algorithms/lock/worker';

export async function openWatchedLock(config, { onError, onStatus }) {
  const { names, protocol } = config;
  const { watch, ...rest } = protocol;
  const worker = new Worker(new URL('lock-thread.run.mjs', import.meta.url), {
    workerData: { ...config, protocol: rest },
  });
  let counts = {};
  worker.on('message', ({ type, error, status, counts: told }) => {
    if (type !== 'torture') return;
    if (error) onError(error);
    if (status) onStatus(status);
    if (told) counts = told;
  });
  const lock = await workerLock(worker, watch);
  return {
    locks: new Map([[names[0], lock]]),
    jobs: new Map(),
    counts: () => counts,
    close: () => lock.close(),
  };
}
