/** A lock whose node lives in a worker thread: `@conclave/algorithms/lock/worker`. */
export { type SharedLease, sharedLease } from '../facade/lock/worker/between-threads.js';
export { serveLock } from '../facade/lock/worker/serve-lock.js';
export type { WorkerHeld } from '../facade/lock/worker/worker-lock.js';
export {
  type WorkerLock,
  type WorkerLockOptions,
  workerLock,
} from '../facade/lock/worker/worker-lock.js';
