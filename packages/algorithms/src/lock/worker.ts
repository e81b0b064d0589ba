/** A lock whose node lives in a worker thread: `@conclave/algorithms/lock/worker`. */
export { sharedLease } from '../facade/lock/worker/between-threads.js';
export { serveLock } from '../facade/lock/worker/serve-lock.js';
export type { WorkerHeld } from '../facade/lock/worker/worker-lock.js';
export { type WorkerLock, workerLock } from '../facade/lock/worker/worker-lock.js';
