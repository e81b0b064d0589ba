import { ConclaveError, type NodeId, type Protocol } from '@conclave/core/protocol';
import type { Health } from '../health.js';
import { timeOf } from '../time-of.js';
import type { WaitOptions } from '../waits.js';
import { type Held, type LosableHeld, runHeld } from './lock-held.js';
import type { Contender, Holders } from './lock-holders.js';
import { type Entry, type LockMetrics, LockRecord } from './lock-metrics.js';
import type { NodeLock } from './lock-node.js';
import type { Lock, SharedLock } from './lock-types.js';
import { NodeLocks } from './locks-node.js';
import type { LocksOptions } from './locks-types.js';
import { sharedLock } from './shared-lock.js';

const fencingCondition =
  'from one stay to the next in the same entry, whose number is its remainder by `entries`';

/**
 * A semaphore of so many locks by leases, each of which is an entry. A call that waits requests
 * one that seems to be free, or else all of them; it enters by the first one that it gets, and
 * withdraws the other requests.
 */
export class LeasedSemaphore implements Lock {
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
    const longest = new Map<NodeId, Contender>();
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
