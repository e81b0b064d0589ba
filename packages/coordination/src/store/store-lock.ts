/** A lock whose lease is a row of a store that the program has already: A21. */
import { leaseInOneRow } from '@conclave/algorithms/lease-in-one-row';
import { memoryStorage } from '@conclave/core/embedding';
import { checkOptions, schemas } from '@conclave/core/internal';
import { star } from '@conclave/core/topology';
import { uniqueName } from '../client-of.js';
import { lockOf, sharedEntries } from '../lock/lock.js';
import type { Lock, LockOptions } from '../lock/lock-types.js';
import { withReentrance } from '../lock/reentrant-lock.js';
import { RowTransport, storeNode } from './row-transport.js';
import type { Store } from './store.js';

/** The row, and how this program reaches it. */
export interface RowOptions extends Pick<LockOptions, 'onError' | 'clock'> {
  /** Where the row is: `postgresStore`, `redisStore`, `natsStore`, `sqliteStore`, `fileStore`. */
  readonly store: Store;
  /** The name of the lock or election, and of its row. */
  readonly name: string;
  /** How this program calls itself, for people; it gets a random end. Default `client`. */
  readonly self?: string;
  /**
   * After how many milliseconds without a renewal the row may be taken over; the same at all programs
   * of a name. Default 10,000.
   */
  readonly lease?: number;
  /**
   * How often the row is read while this program waits, in milliseconds. Default: five times in each
   * lease while the store tells of writes, by its `watch`, and each 200 ms where it does not.
   */
  readonly poll?: number;
}

export type StoreLockOptions = RowOptions &
  Pick<LockOptions, 'leaveWithin' | 'logger' | 'telemetry' | 'reentrant'>;

const { optional } = schemas;
export const rowEntries = {
  onError: schemas.embedEntries.onError,
  clock: schemas.embedEntries.clock,
  store: schemas.storage,
  name: schemas.text,
  self: optional(schemas.text),
  lease: optional(schemas.whole(100)),
  poll: optional(schemas.whole(1)),
};
const storeLockOptions = schemas.optionsOf<StoreLockOptions>({ ...sharedEntries, ...rowEntries });

/** The protocol, and the node of this program, which reaches the row. */
export function clientOfRow({
  store,
  name,
  self: called = 'client',
  lease = 10_000,
  poll,
  clock = globalThis,
}: RowOptions) {
  const renewal = lease / 5;
  const protocol = leaseInOneRow({ lease, renewal, cancel: true });
  const self = `${called}~${uniqueName()}`;
  const row = { protocol, store, name, lease, renewal, poll, clock };
  const transport = new RowTransport(self, row);
  const topology = star([storeNode, self]);
  return { protocol, site: { name, clock, self, topology, transport, storage: memoryStorage() } };
}

/** @throws {ConclaveError} `bad-input` for options that it does not have. */
export function storeLock(options: StoreLockOptions): Lock<number> {
  checkOptions('lock', storeLockOptions, options);
  const { store: _, lease: __, poll: ___, ...others } = options;
  const { protocol, site } = clientOfRow(options);
  return withReentrance(lockOf(protocol, { ...others, ...site }), others) as Lock<number>; // it has tokens
}
