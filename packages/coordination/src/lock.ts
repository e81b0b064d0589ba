/** One lock, by a protocol that is given: `@conclave/coordination/lock`. */
export type { Health } from './health.js';
export { lock } from './lock/lock.js';
export { type Held, LockLost } from './lock/lock-held.js';
export type { Holders } from './lock/lock-holders.js';
export type { LockMetrics, LockTelemetry } from './lock/lock-metrics.js';
export type { Lock, LockOptions } from './lock/lock-types.js';
export type { WaitOptions } from './waits.js';
