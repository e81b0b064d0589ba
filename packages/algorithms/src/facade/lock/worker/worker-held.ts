import type { NodeId } from '@conclave/core/protocol';
import { reasonOf } from '../../reason-of.js';
import { type Held, LockLost, type LosableHeld } from '../lock-held.js';
import { LeaseMemory } from './lease-memory.js';
import type { FromWorker } from './worker-messages.js';

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
export class SharedHeld implements WorkerHeld, LosableHeld {
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
