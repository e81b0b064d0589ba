/** Between the thread of a program and that of its lock: messages, and the memory of a lease. */
import { ConclaveError, type NodeId } from '@conclave/core/protocol';

/** A call has one number, from its request to its release. */
export type ToWorker =
  | {
      readonly type: 'acquire';
      readonly call: number;
      readonly stall: number;
      readonly waitFor: number | undefined;
      /** Whether it is `tryAcquire`. */
      readonly tries: boolean;
    }
  | { readonly type: 'abort' | 'release'; readonly call: number }
  | { readonly type: 'close' };

export type FromWorker =
  | { readonly type: 'ready'; readonly id: NodeId; readonly name: string | undefined }
  | {
      readonly type: 'granted';
      readonly call: number;
      readonly memory: SharedArrayBuffer;
      readonly fencingToken: number | undefined;
      readonly fencingCondition: string | undefined;
    }
  /** Without an error: `tryAcquire` did not get it. */
  | { readonly type: 'refused'; readonly call: number; readonly error?: ErrorFields }
  | { readonly type: 'ended'; readonly call: number }
  | { readonly type: 'closed' };

/** An error is copied between threads without its class. */
interface ErrorFields {
  readonly code: ConclaveError['code'];
  readonly what: string;
  readonly cure: string;
}

export function fieldsOf(error: unknown): ErrorFields {
  if (error instanceof ConclaveError) {
    const { code, what, cure } = error;
    return { code, what, cure };
  }
  return { code: 'closed', what: String(error), cure: '' };
}

export const errorOf = ({ code, what, cure }: ErrorFields, cause: unknown): ConclaveError =>
  new ConclaveError(code, what, cure, cause === undefined ? undefined : { cause });

/** What has become of a lease. Those after the second are the reasons of a loss. */
const states = [
  'held',
  'released',
  'lease-expired',
  'stalled',
  'closed',
  'stopped',
  'suspected',
  'revoked', // any other one
] as const;
const [isHeld, isReleased] = [states.indexOf('held'), states.indexOf('released')];

/** Places in the memory, of 8 bytes each. The state is the first 4 bytes. */
const [deadlineAt, beatAt, stallAt, size] = [1, 2, 3, 32];
const millisecond = 1_000_000n;
const never = 2n ** 63n - 1n;

/** What Node 20 has, and the type library of its year has not. */
interface WaitAsync {
  waitAsync(
    cells: Int32Array,
    index: number,
    value: number,
  ): { readonly async: boolean; readonly value: Promise<unknown> | string };
}

/**
 * One stay in the critical section, as each thread of the process sees it. Times are those of
 * `process.hrtime`, which all threads share.
 */
export class LeaseMemory {
  readonly #state: Int32Array;
  readonly #times: BigInt64Array;

  constructor(readonly buffer: SharedArrayBuffer) {
    this.#state = new Int32Array(buffer);
    this.#times = new BigInt64Array(buffer);
  }

  /** @param stall in milliseconds */
  static begin(stall: number): LeaseMemory {
    const made = new LeaseMemory(new SharedArrayBuffer(size));
    Atomics.store(made.#times, stallAt, BigInt(Math.ceil(stall)) * millisecond);
    made.beat();
    return made;
  }

  /** Why it was lost; undefined where it is held, or was released. */
  get loss(): string | undefined {
    const state = Atomics.load(this.#state, 0);
    return state === isHeld || state === isReleased ? undefined : states[state];
  }

  /** In milliseconds. One that has run out is lost from then on, for each thread. */
  get remaining(): number {
    if (Atomics.load(this.#state, 0) !== isHeld) return 0;
    const now = process.hrtime.bigint();
    const deadline = Atomics.load(this.#times, deadlineAt);
    const stalls = Atomics.load(this.#times, beatAt) + Atomics.load(this.#times, stallAt);
    const [end, reason] = deadline < stalls ? [deadline, 'lease-expired'] : [stalls, 'stalled'];
    if (now < end) return Number(end - now) / Number(millisecond);
    this.end(reason);
    return 0;
  }

  /** The thread that has the lock is not busy. */
  beat(): void {
    Atomics.store(this.#times, beatAt, process.hrtime.bigint());
  }

  /** @param remaining for how long the node has it, in milliseconds */
  renew(remaining: number): void {
    const end = Number.isFinite(remaining)
      ? process.hrtime.bigint() + BigInt(Math.floor(remaining)) * millisecond
      : never;
    Atomics.store(this.#times, deadlineAt, end);
  }

  /** Whether it was held until now. Of two threads that end it, one does. */
  end(reason: string): boolean {
    const known: readonly string[] = states;
    const state = known.includes(reason) ? known.indexOf(reason) : known.indexOf('revoked');
    const was = Atomics.compareExchange(this.#state, 0, isHeld, state);
    Atomics.notify(this.#state, 0);
    return was === isHeld;
  }

  release(): boolean {
    return this.end('released');
  }

  /** Resolves when it has ended, also while another thread is busy. */
  async ended(): Promise<void> {
    const { waitAsync } = Atomics as typeof Atomics & WaitAsync; // see WaitAsync
    await waitAsync(this.#state, 0, isHeld).value;
  }
}

/**
 * The lease behind `held.memory`, in another thread that does the work of a critical section.
 *
 * @throws {ConclaveError} `bad-input` for memory that is no lease.
 * @example const { signal } = sharedLease(workerData.memory);
 */
export function sharedLease(memory: SharedArrayBuffer): {
  /** As `Held.remaining`. */
  readonly remaining: number;
  /** Aborts when the lease is lost or released, also while the thread that has it is busy. */
  readonly signal: AbortSignal;
} {
  if (!(memory instanceof SharedArrayBuffer) || memory.byteLength !== size)
    throw new ConclaveError(
      'bad-input',
      'The memory is not that of a lease',
      'Give held.memory of a lock in a worker thread.',
    );
  const lease = new LeaseMemory(memory);
  const controller = new AbortController();
  void lease
    .ended()
    .then(() =>
      controller.abort(
        new ConclaveError('lost', `The lease has ended: ${lease.loss ?? 'the lock was released'}`),
      ),
    );
  return {
    get remaining() {
      return lease.remaining;
    },
    signal: controller.signal,
  };
}
