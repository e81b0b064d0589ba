import type { Worker } from 'node:worker_threads';
import { checkOptions, schemas } from '@conclave/core/internal';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { reasonOf, type WaitOptions } from '../../waits.js';
import {
  type Held,
  isClosed,
  LockLost,
  type LosableHeld,
  requireCritical,
  runHeld,
} from '../lock-held.js';
import type { Lock } from '../lock-types.js';
import { errorOf, type FromWorker, LeaseMemory, type ToWorker } from './between-threads.js';

/** A lock whose node lives in a worker thread: as `Lock`, where it has the same. */
export interface WorkerLock extends Pick<Lock, 'id' | 'name' | 'close'>, AsyncDisposable {
  acquire(options?: WaitOptions): Promise<WorkerHeld>;
  tryAcquire(options?: WaitOptions): Promise<WorkerHeld | undefined>;
  run<T>(critical: (held: WorkerHeld) => T | Promise<T>, options?: WaitOptions): Promise<T>;
}

const workerLockOptions = schemas.optionsOf<Parameters<typeof workerLock>[1]>({
  stall: schemas.upTo(2 ** 31 - 1, 'milliseconds'),
});

/**
 * A lock whose node, transport and storage live in the thread of `worker`, so that its lease does
 * not depend on how busy this thread is. The module of the worker calls `serveLock`. `close` ends
 * the worker.
 *
 * @throws {ConclaveError} `bad-input` for options that make no sense; `closed` where the worker
 * ends before it serves a lock, with its error as the `cause`.
 * @example
 * const worker = new Worker(new URL('./orders-lock.js', import.meta.url));
 * await using orders = await workerLock(worker, { stall: 5_000 });
 * await orders.run((held) => { for (const each of all) if (held.remaining > 0) work(each); });
 */
export async function workerLock(
  worker: Worker,
  options: {
    /**
     * For how long this thread may be busy without a turn of its event loop while it has the lock,
     * in milliseconds. Meanwhile the worker renews the lease, and answers the other nodes; then it
     * gives the lock back, for the reason `stalled`: a program that hangs must not keep it forever.
     * At least 10.
     */
    readonly stall: number;
  },
): Promise<WorkerLock> {
  checkOptions('workerLock', workerLockOptions, options);
  const { stall } = options;
  if (stall < 10)
    throw new ConclaveError(
      'bad-input',
      `workerLock: stall is ${stall} ms, less than an event loop needs`,
      'Give 10 at least.',
    );
  const lock = new ThreadLock(worker, stall);
  await lock.ready;
  return lock;
}

/** A call that waits, or has the lock. */
interface Call {
  readonly signal: AbortSignal | undefined;
  readonly onAbort: () => void;
  readonly resolve: (held: SharedHeld | undefined) => void;
  readonly reject: (error: unknown) => void;
  held?: SharedHeld;
}

class ThreadLock implements WorkerLock {
  id: NodeId = '';
  name: string | undefined;
  readonly ready: Promise<void>;
  readonly #calls = new Map<number, Call>();
  readonly #serves: () => void;
  #last = 0;
  #beats: ReturnType<typeof setInterval> | undefined;
  #ended: ConclaveError | undefined;
  #closed: Promise<void> | undefined;
  #hasClosed = () => {};

  constructor(
    private readonly worker: Worker,
    private readonly stall: number,
  ) {
    const { promise, resolve, reject } = promiseOf<void>();
    this.ready = promise;
    this.#serves = resolve;
    const end = (cause?: unknown) => {
      this.#end(cause);
      reject(this.#ended);
    };
    worker.on('message', (message: FromWorker) => this.#take(message));
    worker.on('error', end);
    worker.on('exit', () => end());
  }

  async acquire(options?: WaitOptions): Promise<SharedHeld> {
    const held = await this.#request(options, false);
    if (!held) throw this.#ended; // no call of acquire ends without the lock and without an error
    return held;
  }

  tryAcquire(options?: WaitOptions): Promise<SharedHeld | undefined> {
    return this.#request(options, true);
  }

  async run<T>(critical: (held: WorkerHeld) => T | Promise<T>, options?: WaitOptions): Promise<T> {
    requireCritical(critical);
    const held = await this.acquire(options);
    return runHeld(
      () => held,
      () => critical(held),
      () => held.settle(),
    );
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    if (!this.#ended) {
      const { promise, resolve } = promiseOf<void>();
      this.#hasClosed = resolve;
      this.#tell({ type: 'close' });
      await promise;
      this.#ended ??= isClosed(this.id);
    }
    await this.worker.terminate();
  }

  #tell(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  #request(options: WaitOptions = {}, tries: boolean): Promise<SharedHeld | undefined> {
    const { signal, waitFor } = options;
    if (this.#ended) return Promise.reject(this.#ended);
    const { promise, resolve, reject } = promiseOf<SharedHeld | undefined>();
    const call = ++this.#last;
    const onAbort = () => this.#tell({ type: 'abort', call });
    this.#calls.set(call, { signal, onAbort, resolve, reject });
    this.#tell({ type: 'acquire', call, stall: this.stall, waitFor, tries });
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
    this.#beats ??= setInterval(() => this.#beat(), this.stall / 10);
    return promise;
  }

  /** While a call waits or has the lock. */
  #beat(): void {
    for (const { held } of this.#calls.values()) {
      held?.settle();
      held?.beat();
    }
    if (this.#calls.size > 0) return;
    clearInterval(this.#beats);
    this.#beats = undefined;
  }

  #take(message: FromWorker): void {
    if (message.type === 'ready') {
      this.id = message.id;
      this.name = message.name;
      this.#serves();
    } else if (message.type === 'closed') this.#hasClosed();
    else {
      const call = this.#calls.get(message.call);
      if (!call) return;
      call.signal?.removeEventListener('abort', call.onAbort);
      if (message.type === 'granted') this.#grant(call, message);
      else {
        this.#calls.delete(message.call);
        if (message.type === 'ended') call.held?.settle();
        else if (message.error) call.reject(errorOf(message.error, call.signal?.reason));
        else call.resolve(undefined);
      }
    }
  }

  /** One that was lost before this thread has heard of it is no entry. */
  #grant(call: Call, message: FromWorker & { readonly type: 'granted' }): void {
    const giveBack = () => this.#tell({ type: 'release', call: message.call });
    const held = new SharedHeld(this.id, message, giveBack);
    call.held = held;
    held.beat();
    const { loss } = held;
    if (loss) call.reject(loss);
    else call.resolve(held);
  }

  /** The worker has ended. */
  #end(cause: unknown): void {
    this.#ended ??= new ConclaveError(
      'closed',
      `The worker of the lock${this.id && ` of node ${this.id}`} has ended`,
      'Look at its error, and start the program again.',
      cause === undefined ? undefined : { cause },
    );
    clearInterval(this.#beats);
    for (const { held, reject } of this.#calls.values()) {
      held?.stop();
      reject(this.#ended);
    }
    this.#calls.clear();
    this.#hasClosed();
  }
}

/** Node 20 has no `Promise.withResolvers`. */
function promiseOf<T>() {
  let [resolve, reject] = [(_: T) => {}, (_: unknown) => {}];
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/**
 * The lock, while this thread has it and a worker thread renews its lease.
 *
 * `remaining`, `signal` and `release` read memory that both threads share: they are right at once,
 * also where this thread has been busy for so long that no message of the worker has arrived. Read
 * the signal from here each time, `held.signal.aborted`; a copy aborts when it is read here, or in
 * the next turn of the event loop.
 */
export interface WorkerHeld extends Held {
  /**
   * The lease, for a third thread that does the work: `sharedLease(memory)` there has a signal that
   * aborts also while this thread is busy.
   */
  readonly memory: SharedArrayBuffer;
}

/** What its owner makes of it. */
class SharedHeld implements WorkerHeld, LosableHeld {
  readonly memory: SharedArrayBuffer;
  readonly fencingToken: number | undefined;
  readonly fencingCondition: string | undefined;
  readonly #lease: LeaseMemory;
  readonly #controller = new AbortController();
  #loss: LockLost | undefined;

  constructor(
    private readonly id: NodeId,
    granted: FromWorker & { readonly type: 'granted' },
    private readonly giveBack: () => void,
  ) {
    this.memory = granted.memory;
    this.fencingToken = granted.fencingToken;
    this.fencingCondition = granted.fencingCondition;
    this.#lease = new LeaseMemory(granted.memory);
  }

  get loss(): LockLost | undefined {
    this.settle();
    return this.#loss;
  }

  get signal(): AbortSignal {
    this.settle();
    return this.#controller.signal;
  }

  get lost(): Promise<LockLost> {
    const { signal } = this;
    return signal.aborted ? Promise.resolve(signal.reason) : reasonOf(signal);
  }

  get remaining(): number {
    const left = this.#lease.remaining;
    if (left === 0) this.settle();
    return left;
  }

  // a field, since programs pass it on
  readonly release = (): void => {
    this.settle();
    if (this.#lease.release()) this.giveBack();
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }

  /** This thread is not busy. */
  beat(): void {
    this.#lease.beat();
  }

  /** The worker has ended, and renews nothing. */
  stop(): void {
    this.#lease.end('stopped');
    this.settle();
  }

  /** Takes from the memory whether it was lost. */
  settle(): void {
    if (this.#loss || this.#lease.remaining > 0) return;
    const reason = this.#lease.loss;
    if (!reason) return;
    this.#loss = new LockLost(this.id, reason);
    this.#controller.abort(this.#loss);
  }
}
