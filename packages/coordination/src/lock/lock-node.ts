/**
 * The lock of one node: turns calls into commands of the node's machine, one request for all calls,
 * and reads from the machine's states who enters, who has lost the lock, and when the node may
 * leave. After each state of the node, and each call, `#serve` takes the next step.
 *
 * A lock ends in four ways: the application closes it (`close`), the others exclude its node, an
 * error of the session abandons it, or its node stops by itself. Each time the holder is told that
 * it has lost the lock, and all waits and later calls are refused.
 */

import type { SharingCommand } from '@conclave/algorithms/interval-reservation';
import type { LeaseCommand } from '@conclave/algorithms/leased-majority';
import type { CancellableCommand } from '@conclave/algorithms/ricart-agrawala';
import type { Embedded } from '@conclave/core/embedding';
import { stateText } from '@conclave/core/internal';
import {
  type Command,
  ConclaveError,
  type Message,
  type NodeId,
  type Protocol,
} from '@conclave/core/protocol';
import type { Delays, Health } from '../health.js';
import { type Timers, type Waiter, type WaitOptions, Waits } from '../waits.js';
import {
  type Held,
  type Holding,
  isClosed,
  isHeldHere,
  isLost,
  isSuspected,
  LockLost,
  type LosableHeld,
  requireRequester,
  runHeld,
} from './lock-held.js';
import { type Holders, Sightings } from './lock-holders.js';
import { type Entry, type LockMetrics, LockRecord } from './lock-metrics.js';
import { Requests } from './lock-requests.js';
import { Stay } from './lock-stay.js';
import type { Lock, LockOptions, NodeLockOptions, SharedLock } from './lock-types.js';
import { VotingLock } from './voting-lock.js';

// What a lock tells its node beside `acquire`, and how it knows that others may wait for it.

const release: CancellableCommand = Object.freeze({ type: 'release' });
const share: SharingCommand = Object.freeze({ type: 'share' });
const cancel: CancellableCommand = Object.freeze({ type: 'cancel' });
const giveUp: LeaseCommand = Object.freeze({ type: 'yield' });

/** The state in which a lock in bunches (`greedy`) has the token for one turn more, then hands over. */
const keeping = 'keeping';
/** The tags of a node that others may wait for. */
const tagsOfInvolved: readonly string[] = ['waiting', 'critical', 'withdrawing'];

/**
 * @throws {ConclaveError} `bad-input` for a protocol without revocation, a node that does not vote,
 * or no reason.
 */
function revocationBy({ title, commands }: Protocol, node: Embedded, reason: string): Command {
  if (!('revoke' in commands))
    throw new ConclaveError(
      'bad-input',
      `${title} does not take the lock away from a node`,
      "Give tolerate: 'crash', or the protocol leasedMajority({ revoke: true }).",
    );
  if (typeof reason !== 'string')
    throw new ConclaveError('bad-input', 'revoke has no reason', "Give a text: 'by hand'.");
  const command: Extract<LeaseCommand, { readonly type: 'revoke' }> = { type: 'revoke', reason };
  if (!node.takes(command))
    throw new ConclaveError(
      'bad-input',
      `Node ${node.id} does not vote, so that it does not know what there is to revoke`,
      'Call revoke at a server, or at one of lock.voters.',
    );
  return command;
}

/** How log lines name a lock. */
const titleOf = (id: NodeId, name: string | undefined): string =>
  name === undefined ? `lock of ${id}` : `lock ${name} of ${id}`;

/** A line for the present state of a lock's node and each later one. */
function logStates(
  { id, state$ }: Embedded,
  name: string | undefined,
  logger: NonNullable<LockOptions['logger']>,
): void {
  let before: string | undefined;
  state$.subscribe(({ value }) => {
    const now = stateText(value);
    if (now !== before)
      logger.debug(`${titleOf(id, name)}: ${before === undefined ? '' : `${before} → `}${now}`);
    before = now;
  });
}

/** The wait of a node that leaves, until no other node waits for it. */
class HandOver {
  #free: (() => void) | undefined;

  constructor(
    private readonly clock: Timers,
    private readonly within: number,
  ) {}

  /** Resolves when it is free, or after the time limit. */
  wait(): Promise<void> {
    if (this.within === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.clock.setTimeout(() => this.free(), this.within);
      this.#free = () => {
        this.#free = undefined;
        this.clock.clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The node is not involved any longer. */
  free(): void {
    this.#free?.();
  }
}

export class NodeLock extends VotingLock implements Lock {
  readonly delays: Delays;
  readonly #waits: Waits<Holding, Entry>;
  readonly #record: LockRecord;
  readonly #stay: Stay;
  readonly #sightings: Sightings;
  /** Whether the node requests, or has, a shared entry. */
  #shared = false;
  readonly #handOver: HandOver;
  readonly #requests: Requests;
  /** Whether calls are refused. */
  #closed = false;
  /** Whether the node has stopped, or was closed. */
  #stopped = false;
  /** The end of `close`, once it was called. */
  #leaving: Promise<void> | undefined;
  /** Why it ended, where it was not closed. */
  #endReason: ConclaveError | undefined;
  /** The last error of the node. */
  #lastError: ConclaveError | undefined;
  /** What the machine has said of the loss of the lock, since the last grant. */
  #lossNotice: Message | undefined;

  constructor(options: NodeLockOptions) {
    super(options);
    const { node, delays, clock, name, now, telemetry, logger, leaveWithin } = options;
    this.delays = delays;
    this.#stay = new Stay(options.protocol, node, (holding) => this.#giveBack(holding));
    this.#sightings = new Sightings(options.protocol, now);
    this.#handOver = new HandOver(clock, leaveWithin);
    this.#requests = new Requests(clock === globalThis, () => this.#serve());
    this.#record = new LockRecord(node.id, name, now, telemetry);
    this.#waits = new Waits(clock, {
      call: 'acquire',
      id: this.id,
      purpose: 'for the lock',
      delays,
      requireOpen: () => {
        if (this.#closed) throw this.#closedError();
        requireRequester(this.id, options);
      },
      late: (waitFor, since) => this.#lateError(waitFor, since),
      gaveUp: () => this.#withdraw(),
    });
    node.notifications$.subscribe((notification) => {
      if (notification.type === 'lost') this.#lossNotice = notification;
    });
    if (logger) logStates(node, name, logger);
    node.state$.subscribe({ next: () => this.#onState(), complete: () => this.#onStopped() });
  }

  get id(): NodeId {
    return this.options.node.id;
  }

  /** Its node, whose state says more than the lock. */
  get node(): Embedded {
    return this.options.node;
  }

  get name(): string | undefined {
    return this.options.name;
  }

  get metrics(): LockMetrics {
    return this.#record.snapshot(this.#waits.size);
  }

  get health(): Health {
    return this.delays.health(this.node, this.#stopped || this.#closed, this.#endReason);
  }

  holders(): Holders {
    const held = this.#stay.isOver ? undefined : this.#record.heldSince;
    return this.#sightings.holders(this.id, { held, waiting: this.#waits.first?.call?.begun });
  }

  acquire(options?: WaitOptions, shared = false): Promise<Holding> {
    return this.#enter(options, this.#record.begin('timed-out', shared));
  }

  async tryAcquire(options: WaitOptions = {}, shared = false): Promise<Held | undefined> {
    const entry = this.#record.begin('unavailable', shared);
    if (this.#waits.first || !(this.#stay.isOver || this.#stay.mayJoin(entry))) {
      entry.failed(this.#lateError(0, this.delays.refusals));
      return undefined;
    }
    try {
      return await this.#enter({ waitFor: 1000, ...options }, entry);
    } catch (error) {
      if (error instanceof ConclaveError && error.code === 'timed-out') return undefined;
      throw error;
    }
  }

  async run<T>(critical: (held: Held) => T | Promise<T>, options?: WaitOptions): Promise<T> {
    const settle = () => this.options.node.settle();
    return runHeld(() => this.acquire(options), critical, settle);
  }

  shared(): SharedLock {
    return sharedLock(this.options.protocol, {
      acquire: (options) => this.acquire(options, true),
      tryAcquire: (options) => this.tryAcquire(options, true),
      settle: () => this.options.node.settle(),
    });
  }

  revoke(reason: string): number | undefined {
    const { protocol, node } = this.options;
    if (this.#closed) throw this.#closedError();
    this.#tell(revocationBy(protocol, node, reason));
    return protocol.floor?.(node.state);
  }

  close(): Promise<void> {
    if (this.#leaving) return this.#leaving;
    let leave = () => {};
    this.#leaving = new Promise((resolve) => {
      leave = () => resolve(this.#leave());
    });
    leave(); // it may call this method again
    return this.#leaving;
  }

  /** The others go on without this node: it has lost the lock for good. */
  exclude(): void {
    if (this.#closed) return;
    const lost = isSuspected(this.id, !this.#stay.isOver);
    this.#endReason = lost;
    this.#lose(lost);
    this.#refuseCalls();
    this.options.report(lost);
    void this.options.node.close();
  }

  /** The node has reported this error, which may be why it stops. */
  heard(error: ConclaveError): void {
    this.#lastError = error;
    this.delays.heard(error);
  }

  /** Ends it for the reason `error`, without a report. */
  abandon(error: ConclaveError): void {
    this.#lastError = error;
    if (!this.#closed && error.code === 'refused') this.#endReason = error;
    void this.options.node.close();
  }

  /** In the next turn of the event loop if this one has served enough: the time begins then. */
  #enter(options: WaitOptions | undefined, entry: Entry): Promise<Holding> {
    const begin = () => this.#waits.add(options, () => this.#serve(true), entry);
    return this.#requests.due()?.then(begin) ?? begin();
  }

  async #leave(): Promise<void> {
    const { node, protocol } = this.options;
    this.#refuseCalls();
    this.#lose(new LockLost(this.id, 'closed'));
    if (node.takes(release)) this.#tell(release);
    else this.#withdraw();
    if (giveUp.type in protocol.commands && node.takes(giveUp)) this.#tell(giveUp);
    if (this.#isInvolved()) await this.#handOver.wait();
    await node.close();
  }

  /**
   * Takes the next step that the state of the node allows: grant, release or request.
   * @param atOnce whether this turn has room for a request
   */
  #serve(atOnce = false): void {
    const { node } = this.options;
    const first = this.#waits.first;
    // before a look at the state, which writes what the release before has left to be written
    if (this.#stay.isOver && first && node.takes(this.#command(first)))
      return this.#requests.begin(atOnce, () => this.#request(first));
    const isInside = node.state.tags.has('critical');
    if (!this.#stay.isOver && !isInside) this.#lose(isLost(this.id, this.#lossNotice));
    const objection = this.#stay.isOver && isInside ? this.#stay.objection : undefined;
    if (objection) this.#waits.refuseAll(objection);
    const next = this.#waits.first;
    if (!this.#stay.isOver) {
      if (next && this.#stay.mayJoin(next.call)) this.#grant(next);
    } else if (isInside) {
      if (next && (next.call?.shared || !this.#shared)) this.#grantAll(next);
      else this.#tell(release); // each call that waited for it has given up
    } else if (next && node.takes(this.#command(next)))
      this.#requests.begin(atOnce, () => this.#request(next));
    else if (!this.#isInvolved()) this.#handOver.free();
  }

  #request(next: Waiter<Holding, Entry>): void {
    this.#shared = next.call?.shared ?? false;
    this.#tell(this.#command(next));
  }

  #command({ call }: Waiter<Holding, Entry>): Command {
    return call?.shared ? share : this.options.acquire;
  }

  /** Grants the first call, and those that share and wait next to it. */
  #grantAll(first: Waiter<Holding, Entry>): void {
    this.#grant(first);
    for (
      let next = this.#waits.first;
      next?.call?.shared && this.#stay.isShared;
      next = this.#waits.first
    )
      this.#grant(next);
  }

  #onState(): void {
    this.#sightings.look(this.options.node.state);
    this.#serve();
  }

  #isInvolved(): boolean {
    const { tags, value } = this.options.node.state;
    const isInvolved = value === keeping || tagsOfInvolved.some((tag) => tags.has(tag));
    return !this.#stopped && isInvolved;
  }

  /** Withdraws the request, where the protocol can and no call waits. */
  #withdraw(): void {
    const { protocol, node } = this.options;
    if (this.#waits.first || !(cancel.type in protocol.commands) || !node.takes(cancel)) return;
    this.#record.withdrawn();
    this.#tell(cancel);
  }

  /** A machine that fails is reported, not thrown: the caller did nothing wrong. */
  #tell(command: Command): void {
    try {
      this.options.node.send(command);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      // otherwise a late timer has changed the state first: see #serve
      if (error.code !== 'unhandled') this.options.report(error);
    }
  }

  #grant(next: Waiter<Holding, Entry>): void {
    this.#lossNotice = undefined;
    next.grant(this.#stay.enter(next.call));
  }

  /** Releases it, if it is still held. */
  #giveBack(holding: Holding): void {
    this.options.node.settle();
    this.#serve(); // tells of a loss first
    if (!this.#stay.has(holding)) return;
    this.#stay.leave(holding);
    if (this.#stay.isOver) this.#tell(release);
  }

  #lose(error: LockLost): void {
    if (this.#stay.isOver) return;
    this.options.logger?.debug(`${titleOf(this.id, this.name)}: ${error.what}`);
    this.#stay.lose(error);
  }

  /** Refuses all waits, and all later calls. */
  #refuseCalls(): void {
    this.#closed = true;
    this.#waits.refuseAll(this.#closedError());
  }

  /** The node was closed, or its machine has failed. */
  #onStopped(): void {
    this.#stopped = true;
    if (!this.#closed) this.#endReason ??= this.node.refusal;
    const because = this.#lastError && { cause: this.#lastError };
    this.#lose(new LockLost(this.id, 'stopped', undefined, undefined, because));
    this.#refuseCalls();
    this.#handOver.free();
  }

  #closedError(): ConclaveError {
    return this.#endReason ?? isClosed(this.id);
  }

  #lateError(waitFor: number, since: number): ConclaveError {
    const late = `Node ${this.id} did not get the lock within ${waitFor} ms`;
    return !this.#stay.isOver ? isHeldHere(late) : this.delays.timedOut(this.node, late, since);
  }
}

interface Calls {
  readonly acquire: (options?: WaitOptions) => Promise<LosableHeld>;
  readonly tryAcquire: (options?: WaitOptions) => Promise<Held | undefined>;
  readonly settle: () => void;
}

/** @throws {ConclaveError} `bad-input` for a protocol all of whose entries are exclusive. */
export function sharedLock(
  { title, commands }: Protocol,
  { acquire, tryAcquire, settle }: Calls,
): SharedLock {
  if (!('share' in commands))
    throw new ConclaveError(
      'bad-input',
      `All entries by ${title} are exclusive`,
      'Give the protocol readersWriters: lock(readersWriters, { … }).shared().',
    );
  return {
    acquire,
    tryAcquire,
    run: async (critical, options) => runHeld(() => acquire(options), critical, settle),
  };
}
