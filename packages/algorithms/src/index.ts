export {
  type ClientSite,
  type Election,
  type ElectionClient,
  type ElectionClientOptions,
  type ElectionOptions,
  election,
  electionClient,
  type Leader,
  type Leadership,
  LeadershipLost,
  type LeaseElectionOptions,
  type LeaseTimes,
} from './election.js';
export { lock, locks } from './facade/lock/lock-choice.js';
export { type LockClientOptions, lockClient } from './facade/lock/lock-client.js';
export {
  type LeasedSemaphoreOptions,
  type SemaphoreOptions,
  semaphore,
} from './facade/lock/semaphore.js';
export { type Delivery, type Group, type GroupOptions, group, type View } from './group.js';
export * from './internal/protocols.js';
export {
  type Contender,
  type EntryTelemetry,
  type Health,
  type Held,
  type Histogram,
  type Holders,
  type Lock,
  LockLost,
  type LockMetrics,
  type LockOptions,
  type LockTelemetry,
  type SharedLock,
  type VoterChange,
  type WaitOptions,
} from './lock.js';
export type { HeldAll, Locks, LocksOptions } from './locks.js';
