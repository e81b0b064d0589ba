import { checkOptions, schemas } from '@conclave/core/internal/options';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import type { Delays } from './delays.js';
import type { Timers } from './time-of.js';

export interface WaitOptions {
  /** Ends the wait with the error `aborted`. */
  readonly signal?: AbortSignal;
  /** How long to wait at most, in milliseconds, before the error `timed-out`. Default: no limit. */
  readonly waitFor?: number;
}

/** Who waits for what, and the errors of waits that end without success. */
interface Subject {
  /** What the caller called. */
  readonly call: string;
  readonly id: NodeId;
  /** As the end of a sentence: `for the lock`. */
  readonly purpose: string;
  readonly delays: Delays;
  /** @throws {ConclaveError} `closed`. */
  requireOpen(): void;
  /** @param since how many refusals there were when the call began */
  late(waitFor: number, since: number): ConclaveError;
  /** Called when a wait has ended by its signal or its time limit. */
  gaveUp?(): void;
}

/** A call that waits. Once it has ended, both do nothing. */
export interface Waiter<T> {
  readonly grant: (value: T) => void;
  readonly refuse: (error: ConclaveError) => void;
}

const longestWait = 2 ** 31 - 1; // what setTimeout takes
const { optional, optionsOf } = schemas;
const waitOptions = optionsOf<WaitOptions>({
  signal: optional(schemas.signal),
  waitFor: optional(schemas.upTo(longestWait, 'milliseconds')),
});

/** Calls that wait for the same thing, in their order. */
export class Waits<T> {
  readonly #waiting: Waiter<T>[] = [];

  constructor(
    private readonly clock: Timers,
    private readonly subject: Subject,
  ) {}

  /** The call that has waited longest. */
  get first(): Waiter<T> | undefined {
    return this.#waiting[0];
  }

  /** How many calls wait. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Whether this call has not ended. */
  has(waiter: Waiter<T>): boolean {
    return this.#waiting.includes(waiter);
  }

  /** One more call; `begun` runs when it waits. */
  add(options: WaitOptions, begun: (waiter: Waiter<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      checkOptions(this.subject.call, waitOptions, options);
      const { signal, waitFor } = options;
      this.subject.requireOpen();
      if (signal?.aborted) throw this.#isAborted(signal);
      const settle = () => {
        signal?.removeEventListener('abort', abort);
        if (timer !== undefined) this.clock.clearTimeout(timer);
        const place = this.#waiting.indexOf(waiter);
        if (place >= 0) this.#waiting.splice(place, 1);
      };
      const waiter: Waiter<T> = {
        grant: (value) => {
          settle();
          resolve(value);
        },
        refuse: (error) => {
          settle();
          reject(error);
        },
      };
      const giveUp = (error: ConclaveError) => {
        waiter.refuse(error);
        this.subject.gaveUp?.();
      };
      const abort = () => signal && giveUp(this.#isAborted(signal));
      const since = this.subject.delays.refusals;
      const timer =
        waitFor === undefined
          ? undefined
          : this.clock.setTimeout(() => giveUp(this.subject.late(waitFor, since)), waitFor);
      signal?.addEventListener('abort', abort);
      this.#waiting.push(waiter);
      begun(waiter);
    });
  }

  grantAll(value: T): void {
    for (const waiter of [...this.#waiting]) waiter.grant(value);
  }

  refuseAll(error: ConclaveError): void {
    for (const waiter of [...this.#waiting]) waiter.refuse(error);
  }

  #isAborted({ reason: cause }: AbortSignal): ConclaveError {
    const { id, purpose } = this.subject;
    const what = `Node ${id} stopped waiting ${purpose}: its signal was aborted`;
    return new ConclaveError('aborted', what, '', { cause });
  }
}
