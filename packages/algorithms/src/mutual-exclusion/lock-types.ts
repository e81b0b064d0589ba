import type { NodeId } from '@conclave/core/protocol';
import type { Health } from '../facade/health.js';
import type { WaitOptions } from '../facade/waits.js';
import type { Held } from './lock-held.js';
import type { LockMetrics } from './lock-metrics.js';

/** Takes log lines: `console` and pino's loggers are some. */
export interface LockLogger {
  debug(line: string): void;
}

/** A lock that is shared with the other nodes. */
export interface Lock extends AsyncDisposable {
  readonly id: NodeId;
  /** The option `name`; within `locks`, the name that it was opened by. */
  readonly name: string | undefined;
  readonly metrics: LockMetrics;
  readonly health: Health;
  /**
   * Waits for the lock. Several calls on one node are served in their order, each in turn with the
   * other nodes.
   *
   * After 16 entries, or 2 ms, without a turn of the event loop, the next one waits for a turn: the
   * messages of other nodes, timers and signals of the program come in between.
   *
   * After a wait that ended without the lock, the node withdraws its request if no other call on it
   * waits and the protocol has the command `cancel`: `ricartAgrawalaCancellable`,
   * `lamportCancellable`, `raymond({ cancel: true })` and others. It does not get the lock then,
   * and its next request may have to wait until the old one is withdrawn. By any other protocol the
   * node still gets the lock eventually, and gives it back at once, or hands it to the next call
   * that waits. See mutual-exclusion/cancel.md.
   *
   * @throws {ConclaveError} `aborted` (its `cause` is the signal's reason), `timed-out` (it names
   * the nodes whose answers are missing, where the protocol knows them), `closed`, `refused` (the
   * peers do not admit this node), `lost` (with `detector`: another node takes this one for
   * crashed); `bad-input` for a `waitFor` that is no time.
   */
  acquire(options?: WaitOptions): Promise<Held>;
  /**
   * The lock, or undefined where this node does not get it within `waitFor` milliseconds; default
   * 1000. Undefined at once where another call on this node has the lock or waits for it.
   *
   * Which node has the lock is known to no node at once: most protocols need a round trip, so that
   * `waitFor: 0` asks for what this node can have without any message, such as a token that is
   * here. After the time has passed the request is withdrawn as by `acquire`.
   *
   * @throws {ConclaveError} as `acquire`, except `timed-out`.
   */
  tryAcquire(options?: WaitOptions): Promise<Held | undefined>;
  /**
   * Acquires the lock, runs `critical` and releases the lock, also when `critical` throws. Throws
   * what `acquire` and `critical` throw.
   *
   * @throws {ConclaveError} `lost`, a `LockLost`, where the lock was lost before `critical` ended,
   * also when `critical` returned: another node may have been in its critical section at the same
   * time. What `critical` threw is its `cause`. `critical` runs to its end: pass `held.signal` to
   * what can be stopped.
   */
  run<T>(critical: (held: Held) => T | Promise<T>, options?: WaitOptions): Promise<T>;
  /**
   * Leaves. Ends all waits with the error `closed`, releases or withdraws, and hands over: waits
   * until the node neither has nor waits for the lock, `leaveWithin` at most, and until what it
   * sent is acknowledged, by a transport that knows. Then closes the node.
   *
   * After that the others go on without this node by a protocol that tolerates crashes. By most
   * others they cannot enter again: a permission protocol needs the permission of every node, a
   * coordinator all of its clients' requests, and a token that rests at this node is gone.
   */
  close(): Promise<void>;
}
