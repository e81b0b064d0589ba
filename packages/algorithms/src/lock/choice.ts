/**
 * Locks that choose their protocol, by what they are to tolerate, and the clients of such a lock:
 * `@conclave/algorithms/lock/choice`. It loads the protocols that they choose from, and no others.
 */
export { lock, locks } from '../facade/lock/lock-choice.js';
export { type LockClientOptions, lockClient } from '../facade/lock/lock-client.js';
export { type SemaphoreOptions, semaphore } from '../facade/lock/semaphore.js';
export { type Held, type Lock, LockLost, type LockOptions } from '../lock.js';
export type { HeldAll, Locks, LocksOptions } from '../locks.js';
