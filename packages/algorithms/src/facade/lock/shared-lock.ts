import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import type { WaitOptions } from '../waits.js';
import { type Held, type LosableHeld, runHeld } from './lock-held.js';
import type { SharedLock } from './lock-types.js';

interface Calls {
  readonly acquire: (options?: WaitOptions) => Promise<LosableHeld>;
  readonly tryAcquire: (options?: WaitOptions) => Promise<Held | undefined>;
  readonly settle: () => void;
}

/** @throws {ConclaveError} `bad-input` for a protocol all of whose entries are exclusive. */
export function sharedLock(
  { title, commands }: Protocol,
  { acquire, tryAcquire, settle }: Calls,
): SharedLock {
  if (!('share' in commands))
    throw new ConclaveError(
      'bad-input',
      `All entries by ${title} are exclusive`,
      'Give the protocol readersWriters: lock(readersWriters, { … }).shared().',
    );
  return {
    acquire,
    tryAcquire,
    run: async (critical, options) => runHeld(() => acquire(options), critical, settle),
  };
}
