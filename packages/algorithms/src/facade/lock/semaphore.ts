import { surroundingsOf } from '@conclave/core/internal/embedding';
import { checkOptions, schemas } from '@conclave/core/internal/options';
import { multipleEntries } from '../../k-exclusion/multiple-entries/protocol.js';
import { leasesFor } from './lease-choice.js';
import { LeasedSemaphore } from './leased-semaphore.js';
import { lockOf, sharedEntries } from './lock.js';
import type { Lock, LockOptions } from './lock-types.js';
import type { LocksOptions } from './locks-types.js';
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

/** As for `locks`, since each entry is a lock of its own. */
export type LeasedSemaphoreOptions = LocksOptions & {
  readonly protocol?: never;
  readonly mostNames?: never;
  /** How many calls may be in their critical sections at once; the same for all nodes. */
  readonly entries: number;
  /**
   * Less than half of the nodes may be down at a time, and come back. A node that crashes gives its
   * entries back when their leases are over.
   */
  readonly tolerate: 'crash';
};

const { optional, optionsOf, whole } = schemas;
const known = optionsOf<Omit<SemaphoreOptions, 'claim' | 'detector' | 'tolerate' | 'voters'>>({
  ...schemas.embedEntries,
  ...sharedEntries,
  entries: whole(1),
});

const { clients: _, ...locksEntries } = schemas.embedEntries;
const leased = optionsOf<Omit<LeasedSemaphoreOptions, 'protocol' | 'mostNames'>>({
  ...locksEntries,
  storage: optional(schemas.callback),
  journal: optional(schemas.callback),
  leaveWithin: sharedEntries.leaveWithin,
  logger: sharedEntries.logger,
  telemetry: sharedEntries.telemetry,
  entries: whole(1),
  tolerate: schemas.oneOf(['crash']),
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
 * With `tolerate: 'crash'` it is made of `entries` locks by leases. A node that crashes gives its
 * entries back after the lease; several calls of one node may each have an entry. A node enters by
 * the first entry that it gets. Its `fencingToken` grows with each stay in the same entry, whose
 * number is `fencingToken % entries`: a store keeps the largest token of each.
 *
 * @throws {ConclaveError} `bad-input`, and as `embed`; as `locks`.
 * @example
 * await using downloads = semaphore({ entries: 3, self: 'a', peers: ['b', 'c', 'd'], transport });
 * await downloads.run(() => download());
 */
export function semaphore(options: LeasedSemaphoreOptions): Lock<number>;
export function semaphore(options: SemaphoreOptions | LeasedSemaphoreOptions): Lock;
export function semaphore(options: SemaphoreOptions | LeasedSemaphoreOptions): Lock {
  if (options.tolerate) return leasedSemaphore(options);
  checkOptions('semaphore', known, options);
  const { entries, ...others } = options;
  const protocol = multipleEntries({ entries, cancel: true });
  return withReentrance(lockOf(protocol, others, undefined, [protocol.problem]), others);
}

function leasedSemaphore(options: LeasedSemaphoreOptions): Lock {
  checkOptions('semaphore', leased, options);
  const { entries, tolerate: _, ...others } = options;
  const topology = surroundingsOf(options.self, options);
  const protocol = leasesFor(topology, options, {}, 'A semaphore');
  return new LeasedSemaphore(others, protocol, entries, topology.nodes.indexOf(options.self));
}
