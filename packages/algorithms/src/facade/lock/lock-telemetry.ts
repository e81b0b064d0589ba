import type { NodeId } from '@conclave/core/protocol';

/** One call, from its begin to its end. */
export interface EntryTelemetry {
  /** It has the lock, after a `wait` in milliseconds. */
  acquired(wait: number, fencingToken: number | undefined): void;
  /**
   * It is over: `released`; `lost`, while it had the lock; without the lock `aborted` by its signal,
   * `timed-out`, `unavailable` by `tryAcquire`, `closed`, `refused` by the peers, `failed`
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
}

/**
 * What a lock tells while it works: the option `telemetry`. It must not throw.
 *
 * @example lock({ tolerate: 'none', self, peers, transport, telemetry: openTelemetry() }) // from
 * @conclave/algorithms/opentelemetry
 */
export interface LockTelemetry {
  /** A call begins to wait, on the lock `name` of `node`. */
  begin(node: NodeId, name: string | undefined): EntryTelemetry;
  /** The node withdraws its request, since no call waits for it any longer. */
  withdrawn(node: NodeId, name: string | undefined): void;
}
