/**
 * Locks, elections, groups and jobs of an application: `@conclave/coordination`. `lock` and
 * `locks` choose their protocol by what they are to tolerate, and load those that they choose from,
 * and no others; each is an entry by itself, too, for a protocol that is given.
 */

export * from './election.js';
export * from './group.js';
export { lock, locks } from './lock/lock-choice.js';
export { type LockClientOptions, lockClient } from './lock/lock-client.js';
export {
  type SemaphoreOptions,
  type StoreSemaphoreOptions,
  semaphore,
} from './lock/semaphore.js';
export {
  type Health,
  type Held,
  type Holders,
  type Lock,
  LockLost,
  type LockMetrics,
  type LockOptions,
  type LockTelemetry,
  type WaitOptions,
} from './lock.js';
export type { HeldAll, Locks, LocksOptions } from './locks.js';
export * from './once.js';
export * from './store.js';
