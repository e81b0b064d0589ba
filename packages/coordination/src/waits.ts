/** Calls that wait: in their order, as long as their options allow, by the clock of the node. */
import type { EmbedOptions } from '@conclave/core/embedding';
import { checkOptions, schemas } from '@conclave/core/internal';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import type { Delays } from './health.js';

/** Sets the timers of a node. */
export type Timers = NonNullable<EmbedOptions['clock']>;

/** The time in milliseconds, by `clock` where it tells the time. */
export function timeOf(clock: Timers | undefined): () => number {
  if (clock && 'now' in clock && typeof clock.now === 'function') {
    const { now } = clock;
    return () => Number(now.call(clock));
  }
  return () => performance.now();
}

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

/** Learns why a call ended without success. */
interface Call {
  failed(error: unknown): void;
}

/** A call that waits. Once it has ended, both do nothing. */
export interface Waiter<T, C = Call> {
  readonly call: C | undefined;
  readonly grant: (value: T) => void;
  readonly refuse: (error: ConclaveError) => void;
}

const longestWait = 2 ** 31 - 1; // what setTimeout takes
const { optional, optionsOf } = schemas;
const waitOptions = optionsOf<WaitOptions>({
  signal: optional(schemas.signal),
  waitFor: optional(schemas.upTo(longestWait, 'milliseconds')),
});

const none: WaitOptions = {};

/** Calls that wait for the same thing, in their order. */
export class Waits<T, C extends Call = Call> {
  readonly #waiting: Waiter<T, C>[] = [];

  constructor(
    private readonly clock: Timers,
    private readonly subject: Subject,
  ) {}

  /** The call that has waited longest. */
  get first(): Waiter<T, C> | undefined {
    return this.#waiting[0];
  }

  /** How many calls wait. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Whether this call has not ended. */
  has(waiter: Waiter<T, C>): boolean {
    return this.#waiting.includes(waiter);
  }

  /** One more call; `begun` runs when it waits. */
  add(
    options: WaitOptions | undefined,
    begun: (waiter: Waiter<T, C>) => void,
    call?: C,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        call?.failed(error);
        reject(error);
      };
      try {
        begun(this.#begin(options, call, resolve, fail));
      } catch (error) {
        fail(error);
      }
    });
  }

  #begin(
    options: WaitOptions | undefined,
    call: C | undefined,
    resolve: (value: T) => void,
    fail: (error: unknown) => void,
  ): Waiter<T, C> {
    if (options) checkOptions(this.subject.call, waitOptions, options);
    const { signal, waitFor } = options ?? none;
    this.subject.requireOpen();
    if (signal?.aborted) throw this.#isAborted(signal);
    let hasEnded = false;
    const settle = (): boolean => {
      if (hasEnded) return false;
      hasEnded = true;
      signal?.removeEventListener('abort', abort);
      if (timer !== undefined) this.clock.clearTimeout(timer);
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      return true;
    };
    const waiter: Waiter<T, C> = {
      call,
      grant: (value) => {
        if (settle()) resolve(value);
      },
      refuse: (error) => {
        if (settle()) fail(error);
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
    return waiter;
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

/** The reason of `signal`, when it aborts. */
export const reasonOf = <Reason>(signal: AbortSignal): Promise<Reason> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
