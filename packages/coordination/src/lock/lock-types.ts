import type { Embedded, EmbedOptions } from '@conclave/core/embedding';
import type { Command, ConclaveError, Json, NodeId, Protocol } from '@conclave/core/protocol';
import type { Delays, Health } from '../health.js';
import type { Timers, WaitOptions } from '../waits.js';
import type { Held } from './lock-held.js';
import type { Holders } from './lock-holders.js';
import type { LockMetrics, LockTelemetry } from './lock-metrics.js';

/**
 * As for `embed`: the node, the other nodes, how it reaches them, its stable storage and its
 * journal.
 */
export type LockOptions = EmbedOptions & {
  /**
   * The fields of the protocol's `acquire`, where it has any:
   * `{ interval: { from: 628, to: 737 } }`.
   */
  readonly claim?: Readonly<Record<string, Json>>;
  /**
   * For a protocol that assumes a network which reports crashes, such as `groupLock()`: reports a
   * node that is silent, such as `heartbeat({ period, timeout })`, over the same transport. All
   * nodes must give one. Its time-out must be longer than any silence of a live node: a node that
   * is suspected by mistake may be in its critical section while the others admit another one. When
   * it learns of it, its lock ends with the error `lost`.
   */
  readonly detector?: Protocol;
  /**
   * How long `close` waits at most until the node neither has nor waits for the lock, in
   * milliseconds. Default 1000.
   */
  readonly leaveWithin?: number;
  /** Its name in log lines and telemetry. */
  readonly name?: string;
  /**
   * Gets a line at debug level for each change of the node's state, and each loss: `console`, or a
   * logger of pino.
   */
  readonly logger?: { debug(line: string): void };
  /** Such as `openTelemetry()`, from `@conclave/coordination/opentelemetry`. */
  readonly telemetry?: LockTelemetry;
  /**
   * What the lock tolerates: a given protocol must; otherwise the lock chooses one by it.
   *
   * - `none`: no node crashes, restarts or leaves while others need the lock. The protocol that
   *   sends fewest messages for that: `naimiTrehel()` where each node reaches each other one (none
   *   if the node had the lock last, otherwise about log n), `raymond()` on a tree, `echoToken()`
   *   on any other network, with `greedy: 20` unless `turns`. They need channels that lose and duplicate nothing: wrap other
   *   transports in `reliable`. Any order will do.
   * - `crash`: less than half of the nodes may be down at a time, and come back;
   *   `leasedMajority()`. It needs three nodes or more, and `storage` over a transport whose nodes
   *   may come back.
   */
  readonly tolerate?: 'none' | 'crash';
  /**
   * With `tolerate: 'none'`: whether each node enters in its turn only. Default false: while others
   * wait, a node whose calls follow each other enters up to 20 times in a row before its turn, which
   * is many times faster where all contend, and longer to wait for where critical sections are long.
   * The same at all nodes.
   */
  readonly turns?: boolean;
  /**
   * With `tolerate: 'crash'`: the nodes that vote at first, the same at all nodes; the others are
   * spare, until `changeVoters` makes voters of them. Default: all nodes, for good.
   */
  readonly voters?: readonly NodeId[];
  /**
   * Whether a call within `run` enters again without waiting: within the same asynchronous context,
   * such as a function that the critical section calls. The lock is given back when the outermost
   * `run`, and each other entry within it, has ended. All entries share one token and signal. For
   * Node, Deno and Bun: it needs `AsyncLocalStorage`. Default false: the call would wait for itself.
   */
  readonly reentrant?: boolean;
};

/**
 * A lock that is shared with the other nodes. Its entries have tokens of type `T`: of a protocol
 * whose type says nothing of them, `number | undefined`.
 */
export interface Lock<T extends number | undefined = number | undefined> extends AsyncDisposable {
  readonly id: NodeId;
  /** The option `name`; within `locks`, the name that it was opened by. */
  readonly name: string | undefined;
  readonly metrics: LockMetrics;
  readonly health: Health;
  /**
   * Who has the lock and who waits for it, as far as this node knows without asking others: its own
   * calls always, and of other nodes what its protocol tells it. By `leasedMajority` each voter
   * knows who has its vote and whose requests wait, by `lamport` and `groupLock` each node has the
   * whole queue; `ricartAgrawala` and `readersWriters` know whom they keep waiting, `naimiTrehel`
   * who gets the token next, and other protocols of no other node.
   */
  holders(): Holders;
  /**
   * Waits for the lock. Several calls on one node are served in their order, in turn with the other
   * nodes, as far as the protocol has turns.
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
   * crashed); `assumption` for a fencing token beyond 2^53 − 1; `bad-input` for a `waitFor` that is
   * no time, and at a node that never requests, such as the coordinator of `centralCoordinator()`.
   */
  acquire(options?: WaitOptions): Promise<Held<T>>;
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
  tryAcquire(options?: WaitOptions): Promise<Held<T> | undefined>;
  /**
   * Acquires the lock, runs `critical` and releases the lock, also when `critical` throws. Throws
   * what `acquire` and `critical` throw.
   *
   * @throws {ConclaveError} `lost`, a `LockLost`, where the lock was lost before `critical` ended,
   * also when `critical` returned: another node may have been in its critical section at the same
   * time. What `critical` threw is its `cause`. `critical` runs to its end: pass `held.signal` to
   * what can be stopped.
   */
  run<R>(critical: (held: Held<T>) => R | Promise<R>, options?: WaitOptions): Promise<R>;
  /**
   * The nodes that vote now, as far as this node knows; undefined for a protocol without the option
   * `voters`.
   */
  readonly voters: readonly NodeId[] | undefined;
  /**
   * Changes which nodes vote, in a critical section of this node, and resolves with the voters when
   * a majority of them knows it: what is removed may be stopped then. Calls of several nodes take
   * effect one after the other. What is there, or gone, already is no error.
   *
   * @param options `waitFor` bounds the whole call
   * @throws {ConclaveError} as `run`; `bad-input` for a protocol without voters, names that are no
   * nodes, or if no voter were left; `timed-out`, after which the change may still be made.
   * @example await counter.changeVoters({ add: ['d'], remove: ['c'] });
   */
  changeVoters(
    change: { readonly add?: readonly NodeId[]; readonly remove?: readonly NodeId[] },
    options?: WaitOptions,
  ): Promise<readonly NodeId[]>;
  /**
   * The same lock for those that may have it together: readers beside each other, while `acquire`,
   * `tryAcquire` and `run` of the lock itself are for a writer, which has it alone.
   *
   * Calls on one node share, too: one joins those that are inside, unless another call or node waits
   * for an exclusive entry; it enters after that one then.
   *
   * @throws {ConclaveError} `bad-input` for another protocol than `readersWriters`.
   */
  shared(): Pick<Lock<T>, 'acquire' | 'tryAcquire' | 'run'>;
  /**
   * Takes the lock away from whatever node has it, also from this one: `held.signal` aborts there,
   * with the reason `revoked` and this one in its message, as soon as it hears of it; its lease is
   * not renewed any longer. Those that wait go on to wait.
   *
   * @returns The least fencing token that an entry can have after that. A store that is told to
   *   refuse smaller ones is safe from a holder that has not heard of it.
   * @throws {ConclaveError} `bad-input` for another protocol than `leasedMajority({ revoke: true })`,
   *   which `tolerate: 'crash'` is; `closed`.
   */
  revoke(reason: string): number | undefined;
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

/** Its entries are shared: as many nodes and calls as want to have it together. */
export type SharedLock = ReturnType<Lock['shared']>;

/** What a node's lock is made of. */
export interface NodeLockOptions {
  readonly protocol: Protocol;
  readonly node: Embedded;
  /** All nodes of the lock. */
  readonly nodes: readonly NodeId[];
  /** The nodes that can request the lock; a coordinator may only serve others. */
  readonly requesters: readonly NodeId[];
  readonly delays: Delays;
  readonly acquire: Command;
  readonly clock: Timers;
  readonly now: () => number;
  readonly report: (error: ConclaveError) => void;
  readonly leaveWithin: number;
  readonly name: LockOptions['name'];
  readonly logger: LockOptions['logger'];
  readonly telemetry: LockOptions['telemetry'];
}
