/** One lock, by a protocol that is given: `@conclave/algorithms/lock`. */
export type { Health } from './facade/health.js';
export type { WaitOptions } from './facade/waits.js';
export { lock } from './mutual-exclusion/lock.js';
export { type Held, LockLost } from './mutual-exclusion/lock-held.js';
export type { Histogram, LockMetrics } from './mutual-exclusion/lock-metrics.js';
export type { EntryTelemetry, LockTelemetry } from './mutual-exclusion/lock-telemetry.js';
export type { Lock, LockOptions } from './mutual-exclusion/lock-types.js';
