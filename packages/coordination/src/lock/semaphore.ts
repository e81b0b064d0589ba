/**
 * Semaphores: by one protocol that admits several nodes, or, where nodes may crash, by several
 * locks by leases, each of which is an entry.
 */

import { multipleEntries } from '@conclave/algorithms/multiple-entries';
import { checkOptions, schemas } from '@conclave/core/internal';
import { surroundingsOf } from '@conclave/core/internal/embedding';
import { ConclaveError, type NodeId, type Protocol } from '@conclave/core/protocol';
import type { Health } from '../health.js';
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
export function semaphore(options: SemaphoreOptions & { readonly tolerate: 'crash' }): Lock<number>;
export function semaphore(options: SemaphoreOptions): Lock;
export function semaphore(options: SemaphoreOptions): Lock {
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
  readonly #locks: NodeLocks;
  readonly #entries: readonly NodeLock[];
  readonly #record: LockRecord;
  #waiting = 0;

  constructor(
    options: LocksOptions,
    private readonly protocol: Protocol,
    entries: number,
    /** Of the node among all nodes: where it looks for a free entry first. */
    place: number,
  ) {
    const { telemetry, ...others } = options;
    this.#locks = new NodeLocks(others, protocol);
    this.#record = new LockRecord(options.self, undefined, timeOf(options.clock), telemetry);
    this.#entries = Array.from({ length: entries }, (_, at) =>
      this.#locks.open(`entry-${(at + place) % entries}`),
    );
  }

  get id(): NodeId {
    return this.#locks.id;
  }

  get metrics(): LockMetrics {
    return this.#record.snapshot(this.#waiting);
  }

  get health(): Health {
    return this.#locks.health;
  }

  holders(): Holders {
    const all = this.#entries.map((each) => each.holders());
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
    for (const each of this.#entries) each.revoke(reason);
  }

  async changeVoters(): Promise<never> {
    throw new ConclaveError(
      'bad-input',
      'A semaphore by leases cannot change its voters yet',
      'Stop all nodes, and start them with others.',
    );
  }

  close(): Promise<void> {
    return this.#locks.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #settle(): void {
    for (const each of this.#entries) each.node.settle();
  }

  async #enter(options: WaitOptions = {}, entry: Entry): Promise<LosableHeld> {
    const { signal } = options;
    const ended = new AbortController();
    const abort = () => ended.abort(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    this.#waiting++;
    try {
      const [lock, held] = await this.#first({ ...options, signal: ended.signal });
      return this.#hold(lock, held, entry);
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
  #first(options: WaitOptions): Promise<readonly [NodeLock, LosableHeld]> {
    return new Promise((resolve, reject) => {
      const asked = new Set<NodeLock>();
      let isOver = false;
      const end = () => {
        isOver = true;
        watch?.unsubscribe();
      };
      const ask = (lock: NodeLock) => {
        if (isOver || asked.has(lock)) return;
        asked.add(lock);
        lock.acquire(options).then(
          (held) => {
            if (isOver) return held.release();
            end();
            resolve([lock, held]);
          },
          (error: unknown) => {
            end();
            reject(error);
          },
        );
      };
      const free = this.#entries.find((each) => isFree(each.holders()));
      if (free) ask(free);
      else this.#entries.forEach(ask);
      const watch = free?.node.state$.subscribe((state) => {
        const seen = this.protocol.contenders?.(state);
        if (seen && seen.inside.length + seen.waiting.length > 0) this.#entries.forEach(ask);
      });
      if (isOver) watch?.unsubscribe();
    });
  }

  #hold(lock: NodeLock, held: LosableHeld, entry: Entry): LosableHeld {
    const size = this.#entries.length;
    const number = Number(lock.name?.slice('entry-'.length));
    const token = held.fencingToken === undefined ? undefined : held.fencingToken * size + number;
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

const isFree = ({ holders, waiting }: Holders): boolean => holders.length + waiting.length === 0;
