import type { AsyncLocalStorage } from 'node:async_hooks';
import { ConclaveError } from '@conclave/core/protocol';
import type { WaitOptions } from '../waits.js';
import { type Held, type LosableHeld, requireCritical, runHeld } from './lock-held.js';
import type { Holders } from './lock-holders.js';
import type { NodeLock } from './lock-node.js';
import type { Lock, LockOptions, SharedLock } from './lock-types.js';

/**
 * `lock`, or one that can be entered again within `run`, where the options want it.
 *
 * @throws {ConclaveError} `bad-input` where the runtime has no `AsyncLocalStorage`, as browsers.
 */
export function withReentrance(
  lock: NodeLock,
  { reentrant }: Pick<LockOptions, 'reentrant'>,
): Lock {
  if (!reentrant) return lock;
  // by no import: bundles for browsers could not resolve it
  const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks');
  if (hooks) return new ReentrantLock(lock, new hooks.AsyncLocalStorage());
  void lock.close();
  throw new ConclaveError(
    'bad-input',
    'lock: reentrant is true, and this runtime has no AsyncLocalStorage',
    'Leave the option out, and pass held to what the critical section calls.',
  );
}

/** The lock while it is held, and how often it was entered. */
class Stay {
  #entries = 0;

  constructor(readonly held: LosableHeld) {}

  get isOver(): boolean {
    return this.#entries === 0;
  }

  /** One more entry, which gives back its part by `release`. */
  enter(): LosableHeld {
    this.#entries++;
    const { held } = this;
    let isInside = true;
    const release = () => {
      if (!isInside) return;
      isInside = false;
      if (--this.#entries === 0) held.release();
    };
    return {
      fencingToken: held.fencingToken,
      fencingCondition: held.fencingCondition,
      get signal() {
        return held.signal;
      },
      get lost() {
        return held.lost;
      },
      get loss() {
        return held.loss;
      },
      get remaining() {
        return isInside ? held.remaining : 0;
      },
      release,
      [Symbol.asyncDispose]: async () => release(),
    };
  }
}

class ReentrantLock implements Lock {
  constructor(
    private readonly lock: NodeLock,
    private readonly context: AsyncLocalStorage<Stay>,
  ) {}

  get id(): Lock['id'] {
    return this.lock.id;
  }

  get name(): Lock['name'] {
    return this.lock.name;
  }

  get metrics(): Lock['metrics'] {
    return this.lock.metrics;
  }

  get health(): Lock['health'] {
    return this.lock.health;
  }

  holders(): Holders {
    return this.lock.holders();
  }

  async acquire(options?: WaitOptions): Promise<Held> {
    return this.#again(options) ?? this.lock.acquire(options);
  }

  async tryAcquire(options?: WaitOptions): Promise<Held | undefined> {
    return this.#again(options) ?? this.lock.tryAcquire(options);
  }

  async run<T>(critical: (held: Held) => T | Promise<T>, options?: WaitOptions): Promise<T> {
    requireCritical(critical);
    const settle = () => this.lock.node.settle();
    const again = this.#again(options);
    if (again) return runHeld(() => again, critical, settle);
    const stay = new Stay(await this.lock.acquire(options));
    return this.context.run(stay, () => runHeld(() => stay.enter(), critical, settle));
  }

  get voters(): Lock['voters'] {
    return this.lock.voters;
  }

  changeVoters(...given: Parameters<Lock['changeVoters']>): ReturnType<Lock['changeVoters']> {
    return this.lock.changeVoters(...given);
  }

  /** Within `run`, it enters again: it has the lock alone, or it would not be there. */
  shared(): SharedLock {
    const shared = this.lock.shared();
    const settle = () => this.lock.node.settle();
    const again = (options?: WaitOptions) => this.#again(options);
    return {
      acquire: async (options) => again(options) ?? shared.acquire(options),
      tryAcquire: async (options) => again(options) ?? shared.tryAcquire(options),
      run: async (critical, options) => {
        const held = again(options);
        return held ? runHeld(() => held, critical, settle) : shared.run(critical, options);
      },
    };
  }

  revoke(reason: string): number | undefined {
    return this.lock.revoke(reason);
  }

  close(): Promise<void> {
    return this.lock.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * One more entry, within `run`.
   *
   * @throws {ConclaveError} `lost` where the lock was lost meanwhile: the caller is to stop.
   */
  #again(options: WaitOptions | undefined): LosableHeld | undefined {
    const stay = this.context.getStore();
    // work that outlives its run is outside; an aborted signal is refused as by any acquire
    if (!stay || stay.isOver || options?.signal?.aborted) return undefined;
    if (stay.held.loss) throw stay.held.loss;
    return stay.enter();
  }
}
