/** What a program gives to `once`, and gets from it. */
import type { NodeId } from '@conclave/core/protocol';
import type { Observable } from 'rxjs';
import type { Store } from '../store/store.js';

/** What the text says. */
export interface TickRecord {
  /** All ticks up to this time, in Unix milliseconds, were started or skipped. */
  readonly tick: number;
  /** The fencing token of the leader that wrote it; 0 where its protocol has none. */
  readonly token: number;
  readonly node: NodeId;
  /** Whether the run of the tick has ended. */
  readonly done: boolean;
}

export const textOf = ({ tick, token, node, done }: TickRecord): string =>
  JSON.stringify({ tick, token, node, done });

/** Undefined where the text is no record. */
export function recordIn(text: string): TickRecord | undefined {
  try {
    const { tick, token, node, done }: Readonly<Record<string, unknown>> = Object(JSON.parse(text));
    return typeof tick === 'number' &&
      typeof token === 'number' &&
      typeof node === 'string' &&
      typeof done === 'boolean'
      ? { tick, token, node, done }
      : undefined;
  } catch {
    return undefined;
  }
}

export interface OnceOptions {
  /**
   * Remembers the last tick for all processes. With it no tick is started twice, whatever the
   * clocks say and however long a process is paused. Without it: see `skew`.
   */
  readonly store?: Store;
  /**
   * What happens to ticks that came due while no process was waiting for them: none led, or the job
   * was still running. Default `none`: they are skipped. `last`: the last of them runs as soon as
   * possible. `all`: all of them run, one after the other in their order. `last` and `all` need a
   * `store`.
   */
  readonly catchUp?: 'none' | 'last' | 'all';
  /**
   * A tick that could start only so many milliseconds after its time, or later, is skipped. Default
   * Infinity.
   */
  readonly startWithin?: number;
  /**
   * What happens to a tick whose run a crash, or the loss of the lock, has cut short: `skip`, the
   * default, or `again`, which runs it once more, with a larger token. Then a job may do a part of
   * its work twice: it must be idempotent, or the store that it writes to must refuse old tokens.
   * Needs a `store`, and a lock or election with fencing tokens.
   */
  readonly interrupted?: 'skip' | 'again';
  /**
   * By how many milliseconds the clocks of two processes may differ. Default 1000. Without a
   * `store`, a process that begins to lead skips the ticks of this time: none runs twice as long as
   * the clocks differ by less. With a `store`, a last tick that lies further in the future is
   * reported, with the code `assumption`.
   */
  readonly skew?: number;
  /** Tells the time of day, and sets timers: for tests. Default: the clock of the machine. */
  readonly clock?: {
    /** Unix milliseconds, as `Date.now()`. */
    now(): number;
    setTimeout(fire: () => void, delay: number): unknown;
    clearTimeout(handle: unknown): void;
  };
  /**
   * Gets the errors of the store (`unavailable` where it cannot be read or written) and of the lock,
   * as `ConclaveError`, and what the job has thrown, as it is. Default: by `console.error`.
   */
  readonly onError?: (error: unknown) => void;
}

export type DayClock = NonNullable<OnceOptions['clock']>;

/** One run of a job. */
export interface OnceRun {
  readonly name: string;
  /** When the tick was due, not when it started. */
  readonly tick: Date;
  /**
   * Larger than that of each process that led before: let the store that the job writes to refuse a
   * smaller one. Undefined where the protocol of the lock or election has none.
   */
  readonly token: number | undefined;
  /** Aborts when this process has lost the lock, or leads no longer. Stop the work then. */
  readonly signal: AbortSignal;
}

/** What has happened to a job in this process. */
export type OnceEvent =
  | { readonly type: 'leads'; readonly token: number | undefined }
  | { readonly type: 'started' | 'done'; readonly tick: Date; readonly token: number | undefined }
  | {
      /** `failed`: the job has thrown; `lost`: the lock was lost before the job ended. */
      readonly type: 'failed' | 'lost';
      readonly tick: Date;
      readonly token: number | undefined;
      readonly error: unknown;
    }
  | {
      /** `node` has started this tick, and has not told that it ended. */
      readonly type: 'interrupted';
      readonly tick: Date;
      readonly node: NodeId;
    }
  /** All ticks from `first` to `last` were skipped, by the rule for late ticks. */
  | { readonly type: 'skipped'; readonly first: Date; readonly last: Date };

/** A job that runs once among all processes at each tick. */
export interface Once extends AsyncDisposable {
  readonly name: string;
  /** Whether this process is the one that runs the job. */
  readonly leads: boolean;
  /** The next tick by the clock of this process, whichever process runs it. */
  readonly next: Date | undefined;
  /** What happens to the job in this process, from now on. Completes when it has stopped. */
  readonly event$: Observable<OnceEvent>;
  /**
   * Starts no further tick here, waits until the running job has ended, and lets another process
   * lead. The lock or election stays open. To stop a job that runs, close the lock: that aborts its
   * signal.
   */
  stop(): Promise<void>;
}
