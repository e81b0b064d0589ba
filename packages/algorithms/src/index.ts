export { catalogue, protocolOf } from './catalogue.js';
export type { LogicalClock } from './clocks/clock.js';
export { lamportClock } from './clocks/lamport-clock.js';
export { vectorClock } from './clocks/vector-clock.js';
export {
  type Election,
  election,
  type Leader,
  type Leadership,
  LeadershipLost,
} from './election.js';
export { type Delivery, type Group, group, type View } from './group.js';
export { multicast } from './groups/multicast-by-order.js';
export {
  requestsBefore,
  respectsHappenedBefore,
} from './mutual-exclusion/causal-fairness/respects-happened-before.js';
export { lock, locks } from './mutual-exclusion/lock-choice.js';
export { type Held, LockLost } from './mutual-exclusion/lock-held.js';
export type { LockMetrics } from './mutual-exclusion/lock-metrics.js';
export type { LockTelemetry } from './mutual-exclusion/lock-telemetry.js';
export type { Lock } from './mutual-exclusion/lock-types.js';
export type { Locks } from './mutual-exclusion/locks.js';
export {
  type Interval,
  overlap,
} from './mutual-exclusion/permission/interval-reservation/interval.js';
export * from './protocols.js';
