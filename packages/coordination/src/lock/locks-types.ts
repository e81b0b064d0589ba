import type { Journal, StableStorage, Surroundings } from '@conclave/core/embedding';
import type { NodeId, Protocol } from '@conclave/core/protocol';
import type { Health } from '../health.js';
import type { WaitOptions } from '../waits.js';
import type { HeldAll } from './lock-all.js';
import type { Holders } from './lock-holders.js';
import type { Lock, LockOptions } from './lock-types.js';

/** As for `lock`, for all names. */
export type LocksOptions = Omit<
  LockOptions,
  | 'topology'
  | 'nodes'
  | 'peers'
  | 'claim'
  | 'detector'
  | 'name'
  | 'storage'
  | 'journal'
  | 'reentrant'
  | 'voters'
  | 'clients'
> &
  Surroundings & {
    /** The protocol of all locks. Otherwise they choose one by `tolerate`. */
    readonly protocol?: Protocol;
    /**
     * The stable storage of each name, such as a file: `fileStorages('data/a')`, from
     * `@conclave/core/embedding/node`. Thousands of names are thousands of small files, each
     * written only by steps that promise something.
     */
    readonly storage?: (name: string) => StableStorage;
    /** The journal of each name: `(name) => fileJournal('journals/' + name, 'a')`. */
    readonly journal?: (name: string) => Journal;
    /**
     * How many names this node keeps open, its own and those of the peers. A message for one more
     * is refused, and reported. Default 10,000.
     */
    readonly mostNames?: number;
  };

/** Several locks by name. */
export interface Locks<T extends number | undefined = number | undefined> extends AsyncDisposable {
  readonly id: NodeId;
  /** The names that are open here, by this node or by a message of a peer. */
  readonly names: readonly string[];
  /**
   * How many messages were refused: without a valid name, of a name that is closed here, or above
   * `mostNames`.
   */
  readonly refused: number;
  /** Of the transport that they share. Whose answers a lock misses, its own health says. */
  readonly health: Health;
  /**
   * The lock of this name; the same object each time, until it is closed. A name consists of
   * letters, digits and `._:@-`, begins with a letter or digit, and has at most 200 bytes. No other
   * node needs to open it.
   *
   * Closing a lock closes its name on this node. By a protocol that tolerates restarts, with
   * `storage`, that only frees memory: the next message, or `open`, opens it again. By any other it
   * is final, since a node that forgot what it promised could break the lock.
   *
   * @throws {ConclaveError} `bad-input` for another name, or more than `mostNames`; `closed`.
   */
  open(name: string): Lock<T>;
  /** By name, of the names that are open here: who has it and who waits, see `holders` of a lock. */
  holders(): Readonly<Record<string, Holders>>;
  /**
   * Waits for the locks of all these names, one after the other in the order of the names, so that
   * calls for several names cannot wait for each other in a cycle. If it fails, it gives back those
   * that it has. `waitFor` is the time for all.
   *
   * @throws {ConclaveError} as `acquire`; `lost` where it lost one of them before it had all;
   * `bad-input` without a name.
   */
  acquireAll(names: readonly string[], options?: WaitOptions): Promise<HeldAll<T>>;
  /** Closes all locks, and the transport. */
  close(): Promise<void>;
}
