export { catalogue, protocolOf } from './catalogue.js';
export type { LogicalClock } from './clocks/clock.js';
export { lamportClock } from './clocks/lamport-clock.js';
export { vectorClock } from './clocks/vector-clock.js';
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
export type { Entry } from './entry.js';
export { lock, locks } from './facade/lock/lock-choice.js';
export { type LockClientOptions, lockClient } from './facade/lock/lock-client.js';
export {
  type LeasedSemaphoreOptions,
  type SemaphoreOptions,
  semaphore,
} from './facade/lock/semaphore.js';
export { type Delivery, type Group, type GroupOptions, group, type View } from './group.js';
export { type MulticastOptions, multicast } from './groups/multicast-by-order.js';
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
export {
  type Interval,
  overlap,
} from './mutual-exclusion/permission/interval-reservation/interval.js';
export * from './protocols.js';
