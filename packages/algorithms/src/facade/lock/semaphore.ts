import { checkOptions, schemas } from '@conclave/core/internal/options';
import { multipleEntries } from '../../k-exclusion/multiple-entries/protocol.js';
import { lockOf, sharedEntries } from './lock.js';
import type { Lock, LockOptions } from './lock-types.js';
import { withReentrance } from './reentrant-lock.js';

/** As for `lock`, except what other protocols take. */
export type SemaphoreOptions = LockOptions & {
  readonly claim?: never;
  readonly detector?: never;
  readonly tolerate?: never;
  readonly voters?: never;
  /** How many nodes may be in their critical sections at once; the same for all nodes. */
  readonly entries: number;
};

const { optionsOf, whole } = schemas;
const known = optionsOf<Omit<SemaphoreOptions, 'claim' | 'detector' | 'tolerate' | 'voters'>>({
  ...schemas.embedEntries,
  ...sharedEntries,
  entries: whole(1),
});

/**
 * A semaphore among several programs: up to `entries` nodes have it at once, by `multipleEntries()`.
 * It is used like a lock, and its `fencingToken` is undefined. Of one node, one call at a time has
 * it.
 *
 * A node that crashes or is closed takes one entry for good: the others go on as long as fewer than
 * `entries` nodes have gone. It needs channels that lose and duplicate nothing: wrap other
 * transports in `reliable`. Any order will do.
 *
 * @throws {ConclaveError} `bad-input`, and as `embed`.
 * @example
 * await using downloads = semaphore({ entries: 3, self: 'a', peers: ['b', 'c', 'd'], transport });
 * await downloads.run(() => download());
 */
export function semaphore(options: SemaphoreOptions): Lock {
  checkOptions('semaphore', known, options);
  const { entries, ...others } = options;
  const protocol = multipleEntries({ entries, cancel: true });
  return withReentrance(lockOf(protocol, others, undefined, [protocol.problem]), others);
}
