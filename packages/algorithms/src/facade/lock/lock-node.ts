import type { Embedded } from '@conclave/core/embedding';
import { type Command, ConclaveError, type Message, type NodeId } from '@conclave/core/protocol';
import type { Delays } from '../delays.js';
import type { Health } from '../health.js';
import { countEntry, turnDue } from '../turns.js';
import { type Waiter, type WaitOptions, Waits } from '../waits.js';
import { cancel, giveUp, release, tagsOfInvolved } from './lock-commands.js';
import { isClosed, isHeldHere, isSuspected } from './lock-errors.js';
import { type Held, Holding, LockLost, runHeld } from './lock-held.js';
import { logStates, titleOf } from './lock-log.js';
import { type Entry, type LockMetrics, LockRecord } from './lock-metrics.js';
import type { NodeLockOptions } from './lock-node-options.js';
import { remainingOf } from './lock-remaining.js';
import type { Lock } from './lock-types.js';
import { VotingLock } from './voting-lock.js';

/** The reason of a loss that the machine does not explain. */
const revocation = 'revoked';

export class NodeLock extends VotingLock implements Lock {
  readonly delays: Delays;
  readonly #waits: Waits<Holding, Entry>;
  readonly #record: LockRecord;
  #holding: Holding | undefined;
  /** Of the holding. */
  #entry: Entry | undefined;
  readonly #owner = {
    giveBack: (holding: Holding) => this.#giveBack(holding),
    remaining: (holding: Holding) => this.#remaining(holding),
  };
  /** Whether the next entry waits for a turn of the event loop. */
  #turning = false;
  #closed = false;
  #stopped = false;
  #left: Promise<void> | undefined;
  /** Called when the node is not involved any longer. */
  #free: (() => void) | undefined;
  /** Why it ended, where it was not closed. */
  #ended: ConclaveError | undefined;
  /** The last error of the node. */
  #heard: ConclaveError | undefined;
  /** Why the machine says that the lock is lost. */
  #reason = revocation;

  constructor(options: NodeLockOptions) {
    super(options);
    const { node, delays, clock, name, now, telemetry, logger } = options;
    this.delays = delays;
    this.#record = new LockRecord(node.id, name, now, telemetry);
    this.#waits = new Waits(clock, {
      call: 'acquire',
      id: this.id,
      purpose: 'for the lock',
      delays,
      requireOpen: () => {
        if (this.#closed) throw this.#isClosed();
      },
      late: (waitFor, since) => this.#isLate(waitFor, since),
      gaveUp: () => this.#withdraw(),
    });
    node.notifications$.subscribe((told) => this.#hear(told));
    if (logger) logStates(node, name, logger);
    node.state$.subscribe({ next: () => this.#serve(), complete: () => this.#stop() });
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
    return this.delays.health(this.node, this.#stopped || this.#closed);
  }

  acquire(options?: WaitOptions): Promise<Holding> {
    return this.#enter(options, this.#record.begin('timed-out'));
  }

  async tryAcquire(options: WaitOptions = {}): Promise<Held | undefined> {
    const entry = this.#record.begin('unavailable');
    if (this.#holding || this.#waits.first) {
      entry.failed(this.#isLate(0, this.delays.refusals));
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
    return runHeld(await this.acquire(options), critical, () => this.options.node.settle());
  }

  close(): Promise<void> {
    if (this.#left) return this.#left;
    let leave = () => {};
    this.#left = new Promise((resolve) => {
      leave = () => resolve(this.#leave());
    });
    leave(); // it may call this method again
    return this.#left;
  }

  /** The others go on without this node: it has lost the lock for good. */
  exclude(): void {
    if (this.#closed) return;
    const lost = isSuspected(this.id, this.#holding !== undefined);
    this.#ended = lost;
    this.#lose(lost);
    this.#end();
    this.options.report(lost);
    void this.options.node.close();
  }

  /** The node has reported this error, which may be why it stops. */
  heard(error: ConclaveError): void {
    this.#heard = error;
    this.delays.heard(error);
  }

  /** Ends it for the reason `error`, without a report. */
  abandon(error: ConclaveError): void {
    this.#heard = error;
    void this.options.node.close();
  }

  /** In the next turn of the event loop where this one has had enough: its time begins then. */
  #enter(options: WaitOptions | undefined, entry: Entry): Promise<Holding> {
    const begin = () => this.#waits.add(options, () => this.#serve(true), entry);
    return this.#turnDue()?.then(begin) ?? begin();
  }

  async #leave(): Promise<void> {
    const { node, leaveWithin, protocol } = this.options;
    this.#end();
    this.#lose(new LockLost(this.id, 'closed'));
    if (node.takes(release)) this.#tell(release);
    else this.#withdraw();
    if (giveUp.type in protocol.commands && node.takes(giveUp)) this.#tell(giveUp);
    if (this.#isInvolved() && leaveWithin > 0) await this.#handedOver();
    await node.close();
  }

  /** Resolves when no other node waits for this one, or after the time limit. */
  #handedOver(): Promise<void> {
    const { clock, leaveWithin } = this.options;
    return new Promise((resolve) => {
      const timer = clock.setTimeout(() => this.#free?.(), leaveWithin);
      this.#free = () => {
        this.#free = undefined;
        clock.clearTimeout(timer);
        resolve();
      };
    });
  }

  /**
   * Takes the next step that the state of the node allows: grant, release or request.
   * @param atOnce whether this turn has room for a request
   */
  #serve(atOnce = false): void {
    const { node, acquire } = this.options;
    const isInside = node.state.tags.has('critical');
    if (this.#holding && !isInside) this.#lose(new LockLost(this.id, this.#reason));
    if (this.#holding) return;
    const next = this.#waits.first;
    if (isInside) {
      if (next) this.#grant(next);
      else this.#tell(release); // each call that waited for it has given up
    } else if (next && node.takes(acquire)) this.#request(atOnce);
    else if (!this.#isInvolved()) this.#free?.();
  }

  /** With a clock of its own, the program decides when time passes. */
  #turnDue(): Promise<void> | undefined {
    return turnDue(this.options.clock === globalThis);
  }

  #request(atOnce: boolean): void {
    const turn = atOnce ? undefined : this.#turnDue();
    if (!turn) {
      countEntry();
      this.#tell(this.options.acquire);
    } else if (!this.#turning) {
      this.#turning = true;
      void turn.then(() => {
        this.#turning = false;
        this.#serve();
      });
    }
  }

  #hear(told: Message): void {
    if (told.type === 'lost') this.#reason = 'reason' in told ? String(told.reason) : revocation;
  }

  #isInvolved(): boolean {
    const { tags } = this.options.node.state;
    return !this.#stopped && tagsOfInvolved.some((tag) => tags.has(tag));
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
    const { protocol, node } = this.options;
    const { fence, fenceCondition } = protocol;
    const holding = new Holding(fence?.(node.state), fenceCondition, this.#owner);
    this.#reason = revocation;
    this.#holding = holding;
    this.#entry = next.call;
    next.call?.acquired(holding.fencingToken);
    next.grant(holding);
  }

  /** Releases it, if it is still held. */
  #giveBack(holding: Holding): void {
    this.options.node.settle();
    this.#serve(); // tells of a loss first
    if (this.#holding !== holding) return;
    this.#holding = undefined;
    this.#entry?.released();
    this.#tell(release);
  }

  #remaining(holding: Holding): number {
    const { protocol, node } = this.options;
    node.settle();
    return this.#holding === holding ? remainingOf(protocol, node) : 0;
  }

  #lose(error: LockLost): void {
    const lost = this.#holding;
    if (!lost) return;
    this.#holding = undefined;
    this.options.logger?.debug(`${titleOf(this.id, this.name)}: ${error.what}`);
    this.#entry?.lost(error);
    lost.lose(error);
  }

  /** Refuses all waits, and all later calls. */
  #end(): void {
    this.#closed = true;
    this.#waits.refuseAll(this.#isClosed());
  }

  /** The node was closed, or its machine has failed. */
  #stop(): void {
    this.#stopped = true;
    if (!this.#closed && this.#heard?.code === 'refused') this.#ended = this.#heard;
    this.#lose(
      new LockLost(this.id, 'stopped', undefined, undefined, this.#heard && { cause: this.#heard }),
    );
    this.#end();
    this.#free?.();
  }

  #isClosed(): ConclaveError {
    return this.#ended ?? isClosed(this.id);
  }

  #isLate(waitFor: number, since: number): ConclaveError {
    const late = `Node ${this.id} did not get the lock within ${waitFor} ms`;
    return this.#holding ? isHeldHere(late) : this.delays.timedOut(this.node, late, since);
  }
}
