/** Locks by name, by a protocol that is given: `@conclave/algorithms/locks`. */
export { type Held, LockLost } from './mutual-exclusion/lock-held.js';
export type { Lock } from './mutual-exclusion/lock-types.js';
export { type Locks, locks } from './mutual-exclusion/locks.js';
