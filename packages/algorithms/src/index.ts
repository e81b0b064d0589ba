export {
  type Election,
  type ElectionClient,
  type ElectionClientOptions,
  type ElectionOptions,
  election,
  electionClient,
  type Leader,
  LeadershipLost,
} from './election.js';
export { lock, locks } from './facade/lock/lock-choice.js';
export { type LockClientOptions, lockClient } from './facade/lock/lock-client.js';
export { type SemaphoreOptions, semaphore } from './facade/lock/semaphore.js';
export { type Delivery, type Group, type GroupOptions, group } from './group.js';
export * from './internal/protocols.js';
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
