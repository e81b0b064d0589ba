/**
 * Semaphores: by one protocol that admits several nodes, or, where nodes may crash, by several
 * locks by leases, each of which is an entry.
 */

import { multipleEntries } from '@conclave/algorithms/multiple-entries';
import { checkOptions, schemas } from '@conclave/core/internal';
import { surroundingsOf } from '@conclave/core/internal/embedding';
import { ConclaveError, type NodeId, type NodeView, type Protocol } from '@conclave/core/protocol';
import { filter, type Observable } from 'rxjs';
import type { Health } from '../health.js';
import { clientOfRow, rowEntries, type StoreLockOptions } from '../store/store-lock.js';
import { timeOf, type WaitOptions } from '../waits.js';
import { leasesFor } from './lease-choice.js';
import { lockOf, sharedEntries } from './lock.js';
import { type Held, type LosableHeld, runHeld } from './lock-held.js';
import type { Holders } from './lock-holders.js';
import { type Entry, type LockMetrics, LockRecord } from './lock-metrics.js';
import { type NodeLock, sharedLock } from './lock-node.js';
import type { Lock, LockOptions, SharedLock } from './lock-types.js';
import { NodeLocks, namesEntries } from './locks.js';
import type { LocksOptions } from './locks-types.js';
import { withReentrance } from './reentrant-lock.js';

/**
 * As for `lock`, except what other protocols take; with `tolerate` as for `locks`, since each entry
 * is a lock of its own.
 */
export type SemaphoreOptions = {
  /** How many nodes or calls may be in their critical sections at once; the same for all nodes. */
  readonly entries: number;
} & (
  | (LockOptions & {
      readonly claim?: never;
      readonly detector?: never;
      readonly tolerate?: never;
      readonly turns?: never;
      readonly voters?: never;
    })
  | (LocksOptions & {
      readonly protocol?: never;
      readonly mostNames?: never;
      readonly turns?: never;
      /**
       * Less than half of the nodes may be down at a time, and come back. A node that crashes gives
       * its entries back when their leases are over.
       */
      readonly tolerate: 'crash';
    })
);

/** Of a semaphore of `entries` rows of a store. */
export type StoreSemaphoreOptions = Omit<StoreLockOptions, 'reentrant'> &
  Pick<SemaphoreOptions, 'entries'>;

type LeasedSemaphoreOptions = SemaphoreOptions & { readonly tolerate: 'crash' };

const { optionsOf, whole } = schemas;
const known = optionsOf<
  Omit<LockOptions, 'claim' | 'detector' | 'tolerate' | 'turns' | 'voters'> &
    Pick<SemaphoreOptions, 'entries'>
>({
  ...schemas.embedEntries,
  ...sharedEntries,
  entries: whole(1),
});

const leased = optionsOf<Omit<LeasedSemaphoreOptions, 'protocol' | 'mostNames' | 'turns'>>({
  ...namesEntries,
  entries: whole(1),
  tolerate: schemas.oneOf(['crash']),
});

const { reentrant: _, ...ofEachRow } = sharedEntries;
const stored = optionsOf<StoreSemaphoreOptions>({
  ...ofEachRow,
  ...rowEntries,
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
 * With `tolerate: 'crash'` it is made of `entries` locks by leases. A node that crashes gives its
 * entries back after the lease; several calls of one node may each have an entry. A node enters by
 * the first entry that it gets. Its `fencingToken` grows with each stay in the same entry, whose
 * number is `fencingToken % entries`: a store keeps the largest token of each.
 *
 * `semaphore({ store, name, entries })` is made of so many rows of a store, as `lock({ store, name })`
 * of one, and else as with `tolerate: 'crash'`.
 *
 * @throws {ConclaveError} `bad-input`, and as `embed`; as `locks`.
 * @example
 * await using downloads = semaphore({ entries: 3, self: 'a', peers: ['b', 'c', 'd'], transport });
 * await downloads.run(() => download());
 */
export function semaphore(options: StoreSemaphoreOptions): Lock<number>;
export function semaphore(options: SemaphoreOptions & { readonly tolerate: 'crash' }): Lock<number>;
export function semaphore(options: SemaphoreOptions): Lock;
export function semaphore(options: SemaphoreOptions | StoreSemaphoreOptions): Lock {
  if ('store' in options) return storeSemaphore(options);
  if (options.tolerate) return leasedSemaphore(options);
  checkOptions('semaphore', known, options);
  const { entries, ...others } = options;
  const protocol = multipleEntries({ entries, cancel: true });
  return withReentrance(lockOf(protocol, others, undefined, [protocol.problem]), others);
}

function leasedSemaphore(options: LeasedSemaphoreOptions): Lock {
  checkOptions('semaphore', leased, options);
  const { entries, tolerate: _, telemetry: __, ...others } = options;
  const topology = surroundingsOf(options.self, options);
  const protocol = leasesFor(topology, options, {}, 'A semaphore');
  const locks = new NodeLocks(others, protocol);
  const isContended = (state: NodeView) => {
    const seen = protocol.contenders?.(state);
    return seen !== undefined && seen.inside.length + seen.waiting.length > 0;
  };
  const place = topology.nodes.indexOf(options.self);
  const all = numbersFrom(place, entries).map((number) => {
    const its = locks.open(`entry-${number}`);
    const taken$ = its.node.state$.pipe(filter(isContended));
    return { lock: its, number, isFree: () => isUnused(its), taken$ };
  });
  return new LeasedSemaphore(protocol, locks, all, options);
}

function storeSemaphore(options: StoreSemaphoreOptions): Lock {
  checkOptions('semaphore', stored, options);
  const { entries, store: _, lease: __, poll: ___, telemetry: ____, ...others } = options;
  const place = Math.floor(Math.random() * entries); // the programs do not know each other
  const all = numbersFrom(place, entries).map((number) => {
    const { protocol, site } = clientOfRow({ ...options, name: `${options.name} ${number}` });
    const lock = lockOf(protocol, { ...others, ...site });
    const { transport } = site;
    const isTaken = () => !['', lock.id].includes(transport.row?.holder ?? '');
    const isFree = () => isUnused(lock) && !isTaken();
    return { lock, number, isFree, taken$: transport.row$.pipe(filter(isTaken)), protocol };
  });
  const [first] = all;
  if (!first) throw new Error('unreachable: there is one entry at least');
  const locks = {
    id: first.lock.id,
    get health() {
      return first.lock.health;
    },
    close: async () => void (await Promise.all(all.map(({ lock }) => lock.close()))),
  };
  return new LeasedSemaphore(first.protocol, locks, all, options);
}

/** All of them, beginning with another one at each node. */
const numbersFrom = (place: number, entries: number): readonly number[] =>
  Array.from({ length: entries }, (_, at) => (at + place) % entries);

/** An entry of a semaphore. */
interface EntryLock {
  readonly lock: NodeLock;
  readonly number: number;
  /** Whether it seems to be free. */
  isFree(): boolean;
  /** Emits when others are seen to have it, or to wait for it. */
  readonly taken$: Observable<unknown>;
}

const fencingCondition =
  'from one stay to the next in the same entry, whose number is its remainder by `entries`';

/**
 * A semaphore of so many locks by leases, each of which is an entry. A call that waits requests
 * one that seems to be free, or else all of them; it enters by the first one that it gets, and
 * withdraws the other requests.
 */
class LeasedSemaphore implements Lock {
  readonly name = undefined;
  readonly voters = undefined;
  readonly #record: LockRecord;
  #waiting = 0;

  constructor(
    private readonly protocol: Protocol,
    /** The locks of the entries together. */
    private readonly locks: Pick<NodeLocks, 'id' | 'health' | 'close'>,
    /** In the order in which it looks for a free one. */
    private readonly entries: readonly EntryLock[],
    { clock, telemetry }: Pick<LockOptions, 'clock' | 'telemetry'>,
  ) {
    this.#record = new LockRecord(locks.id, undefined, timeOf(clock), telemetry);
  }

  get id(): NodeId {
    return this.locks.id;
  }

  get metrics(): LockMetrics {
    return this.#record.snapshot(this.#waiting);
  }

  get health(): Health {
    return this.locks.health;
  }

  holders(): Holders {
    const all = this.entries.map(({ lock }) => lock.holders());
    const holders = all.flatMap((each) => each.holders);
    const longest = new Map<NodeId, Holders['holders'][number]>();
    for (const one of all.flatMap(({ waiting }) => waiting))
      if (one.ms >= (longest.get(one.node)?.ms ?? 0)) longest.set(one.node, one);
    return { holders, waiting: [...longest.values()].sort((a, b) => b.ms - a.ms) };
  }

  acquire(options?: WaitOptions): Promise<LosableHeld> {
    return this.#enter(options, this.#record.begin('timed-out', false));
  }

  async tryAcquire(options: WaitOptions = {}): Promise<Held | undefined> {
    const entry = this.#record.begin('unavailable', false);
    try {
      return await this.#enter({ waitFor: 1000, ...options }, entry);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'timed-out') return undefined;
      throw error;
    }
  }

  async run<T>(critical: (held: Held) => T | Promise<T>, options?: WaitOptions): Promise<T> {
    return runHeld(
      () => this.acquire(options),
      critical,
      () => this.#settle(),
    );
  }

  shared(): SharedLock {
    const [acquire, tryAcquire] = [this.acquire.bind(this), this.tryAcquire.bind(this)];
    return sharedLock(this.protocol, { acquire, tryAcquire, settle: () => this.#settle() });
  }

  revoke(reason: string): undefined {
    for (const { lock } of this.entries) lock.revoke(reason);
  }

  async changeVoters(): Promise<never> {
    throw new ConclaveError(
      'bad-input',
      'A semaphore by leases cannot change its voters yet',
      'Stop all nodes, and start them with others.',
    );
  }

  close(): Promise<void> {
    return this.locks.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #settle(): void {
    for (const { lock } of this.entries) lock.node.settle();
  }

  async #enter(options: WaitOptions = {}, entry: Entry): Promise<LosableHeld> {
    const { signal } = options;
    const ended = new AbortController();
    const abort = () => ended.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    this.#waiting++;
    try {
      const [its, held] = await this.#first({ ...options, signal: ended.signal });
      return this.#hold(its, held, entry);
    } catch (error) {
      entry.failed(error);
      throw error;
    } finally {
      this.#waiting--;
      signal?.removeEventListener('abort', abort);
      ended.abort();
    }
  }

  /** The first entry that it gets; `options.signal` then withdraws the other requests. */
  #first(options: WaitOptions): Promise<readonly [EntryLock, LosableHeld]> {
    return new Promise((resolve, reject) => {
      const asked = new Set<EntryLock>();
      let isOver = false;
      const end = () => {
        isOver = true;
        watch?.unsubscribe();
      };
      const ask = (entry: EntryLock) => {
        if (isOver || asked.has(entry)) return;
        asked.add(entry);
        entry.lock.acquire(options).then(
          (held) => {
            if (isOver) return held.release();
            end();
            resolve([entry, held]);
          },
          (error: unknown) => {
            end();
            reject(error);
          },
        );
      };
      const free = this.entries.find((each) => each.isFree());
      if (free) ask(free);
      else this.entries.forEach(ask);
      const watch = free?.taken$.subscribe(() => this.entries.forEach(ask));
      if (isOver) watch?.unsubscribe();
    });
  }

  #hold({ number }: EntryLock, held: LosableHeld, entry: Entry): LosableHeld {
    const { fencingToken } = held;
    const token =
      fencingToken === undefined ? undefined : fencingToken * this.entries.length + number;
    entry.acquired(token);
    let isInside = true;
    const lose = () => {
      isInside = false;
      if (held.loss) entry.lost(held.loss);
    };
    held.signal.addEventListener('abort', lose);
    const release = () => {
      if (!isInside) return;
      isInside = false;
      held.signal.removeEventListener('abort', lose);
      held.release();
      entry.released();
    };
    return {
      fencingToken: token,
      fencingCondition,
      signal: held.signal,
      get lost() {
        return held.lost;
      },
      get loss() {
        return held.loss;
      },
      get remaining() {
        return held.remaining;
      },
      release,
      [Symbol.asyncDispose]: async () => release(),
    };
  }
}

function isUnused(lock: NodeLock): boolean {
  const { holders, waiting } = lock.holders();
  return holders.length + waiting.length === 0;
}
