/** Locks by name, by a protocol that is given: `@conclave/algorithms/locks`. */
export type { HeldAll } from './facade/lock/lock-all.js';
export { type Held, LockLost } from './facade/lock/lock-held.js';
export type { Lock } from './facade/lock/lock-types.js';
export { locks } from './facade/lock/locks.js';
export type { Locks, LocksOptions } from './facade/lock/locks-types.js';
