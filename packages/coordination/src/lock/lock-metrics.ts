/** What a lock counts, and tells its telemetry, of each call. */
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import type { LockLost } from './lock-held.js';

/**
 * What a lock tells while it works: the option `telemetry`. It must not throw.
 *
 * @example lock({ tolerate: 'none', self, peers, transport, telemetry: openTelemetry() }) // from
 * @conclave/coordination/opentelemetry
 */
export interface LockTelemetry {
  /** A call begins to wait, on the lock `name` of `node`. */
  begin(
    node: NodeId,
    name: string | undefined,
  ): {
    /** It has the lock, after a `wait` in milliseconds. */
    acquired(wait: number, fencingToken: number | undefined): void;
    /**
     * It is over: `released`; `lost`, while it had the lock; without the lock `aborted` by its
     * signal, `timed-out`, `unavailable` by `tryAcquire`, `closed`, `refused` by the peers, `failed`
     * otherwise. `hold`: how long it had the lock, in milliseconds; undefined where it never had it.
     * `error`: why it ended, unless it released.
     */
    ended(
      outcome:
        | 'released'
        | 'lost'
        | 'aborted'
        | 'timed-out'
        | 'unavailable'
        | 'closed'
        | 'refused'
        | 'failed',
      hold: number | undefined,
      error: Error | undefined,
    ): void;
  };
  /** The node withdraws its request, since no call waits for it any longer. */
  withdrawn(node: NodeId, name: string | undefined): void;
}

/** What a lock has done since it was made, and what it does now; a snapshot. */
export interface LockMetrics {
  /** Calls of this node that wait now. */
  readonly waiting: number;
  /** Calls of this node that have the lock now: more than one only if they share it. */
  readonly held: number;
  /** How long this node has had the lock, in milliseconds; undefined while it has not. */
  readonly age: number | undefined;
  /** From each call to its entry: times in milliseconds, counted by upper bound. */
  readonly wait: {
    /** The upper bound of each bucket, inclusive. The last bucket of `counts` has none. */
    readonly bounds: readonly number[];
    readonly counts: readonly number[];
    readonly count: number;
    readonly sum: number;
  };
  /** From each entry to its release or loss. */
  readonly hold: LockMetrics['wait'];
  readonly acquired: number;
  readonly released: number;
  /** By reason, such as `lease-expired`. */
  readonly lost: Readonly<Record<string, number>>;
  /** Requests that the node has withdrawn. */
  readonly withdrawn: number;
  /** Calls that ended without the lock. */
  readonly aborted: number;
  readonly timedOut: number;
  /** By `tryAcquire`. */
  readonly unavailable: number;
  readonly closed: number;
  readonly refused: number;
  readonly failed: number;
}

/** In milliseconds; the bounds of {@link LockMetrics}. */
export const histogramBounds: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 60_000,
];

/** A call in progress. */
export interface Entry {
  /** When the call was made. */
  readonly begun: number;
  /** Whether it shares the lock with others that do. */
  readonly shared: boolean;
  acquired(fencingToken: number | undefined): void;
  released(): void;
  lost(error: LockLost): void;
  /** It ended without the lock. */
  failed(error: unknown): void;
}

type Counted = Exclude<Parameters<ReturnType<LockTelemetry['begin']>['ended']>[0], 'lost'>;

/** Counts what the calls on one lock come to, and tells its telemetry. */
export class LockRecord {
  readonly #wait = new Times();
  readonly #hold = new Times();
  readonly #lost = new Map<string, number>();
  readonly #outcomes = new Map<Counted, number>();
  #withdrawn = 0;
  #held = 0;
  #heldSince: number | undefined;

  constructor(
    private readonly node: NodeId,
    private readonly name: string | undefined,
    private readonly now: () => number,
    private readonly telemetry: LockTelemetry | undefined,
  ) {}

  /** @param late how a call ends that the time limit ends */
  begin(late: 'timed-out' | 'unavailable', shared: boolean): Entry {
    const begun = this.now();
    let entered = begun;
    const told = this.telemetry?.begin(this.node, this.name);
    return {
      begun,
      shared,
      acquired: (fencingToken) => {
        entered = this.now();
        if (this.#held++ === 0) this.#heldSince = entered;
        this.#wait.add(entered - begun);
        told?.acquired(entered - begun, fencingToken);
      },
      released: () => {
        const hold = this.#left(entered);
        this.#count('released');
        told?.ended('released', hold, undefined);
      },
      lost: (error) => {
        const hold = this.#left(entered);
        this.#lost.set(error.reason, (this.#lost.get(error.reason) ?? 0) + 1);
        told?.ended('lost', hold, error);
      },
      failed: (error) => {
        const outcome = outcomeOf(error, late);
        this.#count(outcome);
        told?.ended(outcome, undefined, error instanceof Error ? error : undefined);
      },
    };
  }

  withdrawn(): void {
    this.#withdrawn++;
    this.telemetry?.withdrawn(this.node, this.name);
  }

  /** Since when this node has had the lock; undefined where it has not. */
  get heldSince(): number | undefined {
    return this.#heldSince;
  }

  snapshot(waiting: number): LockMetrics {
    const since = this.#heldSince;
    const count = (outcome: Counted) => this.#outcomes.get(outcome) ?? 0;
    const wait = this.#wait.snapshot();
    return {
      waiting,
      held: this.#held,
      age: since === undefined ? undefined : this.now() - since,
      wait,
      hold: this.#hold.snapshot(),
      acquired: wait.count,
      released: count('released'),
      lost: Object.fromEntries(this.#lost),
      withdrawn: this.#withdrawn,
      aborted: count('aborted'),
      timedOut: count('timed-out'),
      unavailable: count('unavailable'),
      closed: count('closed'),
      refused: count('refused'),
      failed: count('failed'),
    };
  }

  #count(outcome: Counted): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  /** How long the call had the lock that has it no longer. */
  #left(entered: number): number {
    const hold = this.now() - entered;
    if (--this.#held === 0) this.#heldSince = undefined;
    this.#hold.add(hold);
    return hold;
  }
}

function outcomeOf(error: unknown, late: 'timed-out' | 'unavailable'): Counted {
  if (!(error instanceof ConclaveError)) return 'failed';
  if (error.code === 'timed-out') return late;
  return error.code === 'aborted' || error.code === 'closed' || error.code === 'refused'
    ? error.code
    : 'failed';
}

class Times {
  readonly #counts: number[] = Array.from({ length: histogramBounds.length + 1 }, () => 0);
  #count = 0;
  #sum = 0;

  add(time: number): void {
    this.#count++;
    this.#sum += time;
    const place = histogramBounds.findIndex((bound) => time <= bound);
    const bucket = place < 0 ? histogramBounds.length : place;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  snapshot(): LockMetrics['wait'] {
    return {
      bounds: histogramBounds,
      counts: [...this.#counts],
      count: this.#count,
      sum: this.#sum,
    };
  }
}
