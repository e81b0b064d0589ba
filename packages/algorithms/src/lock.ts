/** One lock, by a protocol that is given: `@conclave/algorithms/lock`. */
export type { Health } from './facade/health.js';
export { lock } from './facade/lock/lock.js';
export { type Held, LockLost } from './facade/lock/lock-held.js';
export type { Holders } from './facade/lock/lock-holders.js';
export type { LockMetrics, LockTelemetry } from './facade/lock/lock-metrics.js';
export type { Lock, LockOptions } from './facade/lock/lock-types.js';
export type { WaitOptions } from './facade/waits.js';
