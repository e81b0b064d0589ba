/** Locks by name, by a protocol that is given: `@conclave/coordination/locks`. */
export type { HeldAll } from './lock/lock-all.js';
export { type Held, LockLost } from './lock/lock-held.js';
export type { Lock } from './lock/lock-types.js';
export { locks } from './lock/locks.js';
export type { Locks, LocksOptions } from './lock/locks-types.js';
