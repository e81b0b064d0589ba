/**
 * A thread of `simulate --seeds`: takes one seed after the other, simulates it, and posts what its
 * run has shown.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { ConclaveError } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { outcomeOf } from './seeds.js';
import { simulated, untilOf } from './system.js';
import { Share, type WorkerData, type WorkerMessage } from './threads.js';

// threads.ts passes exactly this
const { protocol, options, firstSeed, memory, thread } = workerData as WorkerData;
const post = (message: WorkerMessage, ...transfer: readonly ArrayBuffer[]) =>
  parentPort?.postMessage(message, transfer);

function run(system: Parameters<typeof simulate>[0]): void {
  const share = new Share(memory);
  const limits = untilOf(system, options);
  for (let place = share.take(thread); place !== undefined; place = share.take(thread)) {
    const wanted = place;
    const until = { ...limits, stop: () => !share.wants(wanted) };
    const result = simulate({ ...system, seed: firstSeed + place, until });
    if (result.ended === 'interrupted') continue;
    const outcome = outcomeOf(result);
    if (options.failFast && outcome.violated !== undefined) share.end(place);
    post({ outcome }, outcome.waits.buffer as ArrayBuffer); // a fresh array, which is not shared
  }
}

try {
  run((await simulated(protocol, options)).options);
  post({ done: true });
} catch (error) {
  if (!(error instanceof ConclaveError)) throw error;
  const { code, what, cure } = error;
  post({ error: { code, what, cure } });
}
