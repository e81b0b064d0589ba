/** One lock, by a protocol that is given: `@conclave/algorithms/lock`. */
export { lock } from './mutual-exclusion/lock.js';
export { type Held, LockLost } from './mutual-exclusion/lock-held.js';
export type { LockMetrics } from './mutual-exclusion/lock-metrics.js';
export type { LockTelemetry } from './mutual-exclusion/lock-telemetry.js';
export type { Lock } from './mutual-exclusion/lock-types.js';
