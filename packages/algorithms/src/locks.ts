/** Locks by name, by a protocol that is given: `@conclave/algorithms/locks`. */
export type { HeldAll } from './mutual-exclusion/lock-all.js';
export { type Held, LockLost } from './mutual-exclusion/lock-held.js';
export type { Lock } from './mutual-exclusion/lock-types.js';
export { locks } from './mutual-exclusion/locks.js';
export type { Locks, LocksOptions } from './mutual-exclusion/locks-types.js';
