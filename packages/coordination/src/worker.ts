/** A lock whose node lives in a worker thread: `@conclave/coordination/worker`. */
export { sharedLease } from './lock/worker/between-threads.js';
export { serveLock } from './lock/worker/serve-lock.js';
export type { WorkerHeld } from './lock/worker/worker-lock.js';
export { type WorkerLock, workerLock } from './lock/worker/worker-lock.js';
