import { embed } from '@conclave/core/embedding';
import { checkOptions, schemas } from '@conclave/core/options';
import { type Command, ConclaveError, type Json, type NodeId, type Protocol } from '@conclave/core/protocol';
import { Subject } from 'rxjs';
import { awaitedBy } from '../facade/awaited.js';
import { errorForUser } from '../facade/error-for-user.js';
import { withReports } from '../facade/reporting-transport.js';
import { type WaitOptions, Waits } from '../facade/waits.js';
import type { CancellableCommand } from './cancel.js';

type Embedded = ReturnType<typeof embed>;
type EmbedOptions = Parameters<typeof embed>[1];
type Timers = NonNullable<EmbedOptions['clock']>;

/** As for `embed`: the node, the other nodes, and how it reaches them. */
export type LockOptions = EmbedOptions & {
  /** The fields of the protocol's `acquire`, where it has any: `{ interval: { from: 628, to: 737 } }`. */
  readonly claim?: Readonly<Record<string, Json>>;
  /**
   * For a protocol that assumes a network which reports crashes, such as `groupLock()`: reports a node that is silent, such as
   * `heartbeat({ period, timeout })`, over the same transport. All nodes must give one. Its time-out must be longer than any silence of a live
   * node: a node that is suspected by mistake may be in its critical section while the others admit another one. When it learns of it, its lock
   * ends with the error `lost`.
   */
  readonly detector?: Protocol;
};

/** The lock, while this node has it. */
export interface Held extends AsyncDisposable {
  /**
   * A number larger than at every entry of any node before, for a store that refuses a smaller one than it has seen; undefined for a protocol
   * that has none. The section "Fencing" of the protocol's page names the assumptions.
   */
  readonly fencingToken: number | undefined;
  /** The condition under which the token grows; undefined where it grows in every run that the protocol's assumptions allow. */
  readonly fencingCondition: string | undefined;
  /** Gives the lock back. A second call, or one after the lock was closed, does nothing. */
  release(): void;
}

/** A lock that is shared with the other nodes. */
export interface Lock extends AsyncDisposable {
  readonly id: NodeId;
  /**
   * Waits for the lock. Several calls on one node are served in their order, each in turn with the other nodes.
   *
   * After a wait that ended without the lock, the node withdraws its request if no other call on it waits and the protocol has the command
   * `cancel`: `ricartAgrawalaCancellable`, `lamportCancellable`, `raymond({ cancel: true })` and others. It does not get the lock then, and its
   * next request may have to wait until the old one is withdrawn. By any other protocol the node still gets the lock eventually, and gives it
   * back at once, or hands it to the next call that waits. See mutual-exclusion/cancel.md.
   *
   * @throws {ConclaveError} `aborted` (its `cause` is the signal's reason), `timed-out` (it names the nodes whose answers are missing, where the protocol knows them), `closed`,
   * `lost` (with `detector`: another node takes this one for crashed);
   * `bad-input` for a `waitFor` that is no time.
   */
  acquire(options?: WaitOptions): Promise<Held>;
  /** Acquires the lock, runs `critical` and releases the lock, also when `critical` throws. Throws what `acquire` and `critical` throw. */
  run<T>(critical: (held: Held) => T | Promise<T>, options?: WaitOptions): Promise<T>;
  /** Releases the lock, ends all waits with the error `closed`, and closes the node. With most protocols the other nodes cannot go on without it. */
  close(): Promise<void>;
}

/**
 * A lock among several programs, by any protocol of the problem `mutual-exclusion`, or `local-exclusion`: then nodes that do not conflict, such as
 * those that are not neighbours, may have it at once.
 *
 * At most one node has it, and each node that waits eventually gets it, as long as the protocol's assumptions hold: no node crashes or is
 * closed while others need the lock, and every `acquire` is followed by a `release`. A lock cannot stop a holder that was paused and then
 * goes on: pass `fencingToken` to the store that the lock guards, and let the store refuse an old token.
 *
 * @throws {ConclaveError} `bad-input` for a protocol of another problem, and as `embed`.
 * @example
 * await using counter = lock(ricartAgrawala, { self: 'a', peers: ['b'], transport });
 * await counter.run(async ({ fencingToken }) => write((await read()) + 1, fencingToken));
 */
export function lock(protocol: Protocol, options: LockOptions): Lock {
  checkOptions('lock', schemas.protocolGiven, { protocol });
  checkOptions('lock', lockOptions, options);
  if (!problems.includes(protocol.problem))
    throw new ConclaveError(
      'bad-input',
      `${protocol.title} solves '${protocol.problem}'; a lock needs a protocol for '${problems.join("' or '")}'`,
      'Try ricartAgrawala or raymond().',
    );
  const { claim = {}, detector, ...embedding } = options;
  const { fields = [] } = protocol.commands.acquire ?? {};
  const claimed = Object.keys(claim);
  if (claimed.length !== fields.length || fields.some((field) => !claimed.includes(field)))
    throw new ConclaveError(
      'bad-input',
      `The claim has (${claimed.join(', ')}), but acquire of ${protocol.title} takes (${fields.join(', ')})`,
      'Give claim exactly these fields.',
    );
  const { onError = console.error } = options;
  const report = (error: ConclaveError) => onError(errorForUser(error, protocol, 'lock'));
  const { self, topology, peers = [], clock } = options;
  const reported = new Subject<void>();
  const surroundings = {
    nodes: topology?.nodes ?? [...new Set([self, ...peers])].sort(),
    onReported: () => reported.next(),
    onError: (error: ConclaveError) => onError(errorForUser(error, detector ?? protocol, 'lock')),
    ...(clock && { clock }),
  };
  const node = withReports(protocol, options.transport, detector, surroundings, (transport) =>
    embed(protocol, { ...embedding, transport, onError: report }),
  );
  const made = new NodeLock(protocol, node, { ...claim, type: 'acquire' }, clock ?? globalThis, report);
  reported.subscribe(() => made.lose());
  return made;
}

const { optional, optionsOf } = schemas;
const lockOptions = optionsOf<LockOptions>({
  ...schemas.embedEntries,
  claim: optional(schemas.fields),
  detector: optional(schemas.protocol),
});
const release: CancellableCommand = { type: 'release' };
const cancel: CancellableCommand = { type: 'cancel' };
const problems = ['mutual-exclusion', 'local-exclusion'];

class NodeLock implements Lock {
  readonly #waits: Waits<Held>;
  #held: Held | undefined;
  #closed = false;
  /** Why it ended, where it was not closed. */
  #ended: ConclaveError | undefined;

  constructor(
    private readonly protocol: Protocol,
    private readonly node: Embedded,
    private readonly command: Command,
    clock: Timers,
    private readonly report: (error: ConclaveError) => void,
  ) {
    this.#waits = new Waits('acquire', clock, {
      requireOpen: () => {
        if (this.#closed) throw this.#isClosed();
      },
      aborted: (signal) => this.#isAborted(signal),
      late: (waitFor) => this.#isLate(waitFor),
      gaveUp: () => this.#withdraw(),
    });
    node.state$.subscribe({ next: () => this.#serve(), complete: () => this.#end() });
  }

  get id(): NodeId {
    return this.node.id;
  }

  acquire(options: WaitOptions = {}): Promise<Held> {
    return this.#waits.add(options, () => this.#serve());
  }

  async run<T>(critical: (held: Held) => T | Promise<T>, options?: WaitOptions): Promise<T> {
    const held = await this.acquire(options);
    try {
      return await critical(held);
    } finally {
      held.release();
    }
  }

  close(): Promise<void> {
    this.#end();
    this.#held = undefined;
    if (this.node.takes(release)) this.#tell(release);
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Another node takes this one for crashed: the others go on without it. */
  lose(): void {
    if (this.#closed) return;
    const lost = new ConclaveError(
      'lost',
      `Node ${this.id} has lost the lock for good: another node takes it for crashed`,
      this.#held ? 'Stop the work in the critical section.' : 'Give the detector a longer time-out.',
    );
    this.#ended = lost;
    this.#end();
    this.report(lost);
    void this.node.close();
  }

  /** Takes the next step that the state of the node allows: grant, release or request. */
  #serve(): void {
    if (this.#held) return;
    const next = this.#waits.first;
    if (this.node.state.tags.has('critical')) {
      if (!next) return this.#tell(release); // each call that waited for it has given up
      this.#held = this.#grant();
      next.grant(this.#held);
    } else if (next && this.node.takes(this.command)) this.#tell(this.command);
  }

  /** Withdraws the request, where the protocol can and no call waits. */
  #withdraw(): void {
    if (!this.#waits.first && cancel.type in this.protocol.commands && this.node.takes(cancel)) this.#tell(cancel);
  }

  /** A machine that fails is reported, not thrown: the caller did nothing wrong. */
  #tell(command: Command): void {
    try {
      this.node.send(command);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      this.report(error);
    }
  }

  #grant(): Held {
    const giveBack = () => {
      if (this.#held !== held) return;
      this.#held = undefined;
      this.#tell(release);
    };
    const fencingToken = this.protocol.fence?.(this.node.state);
    const { fenceCondition: fencingCondition } = this.protocol;
    const held: Held = { fencingToken, fencingCondition, release: giveBack, [Symbol.asyncDispose]: async () => giveBack() };
    return held;
  }

  /** Refuses all waits, and all later calls. */
  #end(): void {
    this.#closed = true;
    this.#waits.refuseAll(this.#isClosed());
  }

  #isClosed(): ConclaveError {
    return this.#ended ?? new ConclaveError('closed', `The lock of node ${this.id} is closed`);
  }

  #isAborted(signal: AbortSignal): ConclaveError {
    return new ConclaveError('aborted', `Node ${this.id} stopped waiting for the lock: its signal was aborted`, '', {
      cause: signal.reason,
    });
  }

  #isLate(waitFor: number): ConclaveError {
    const late = `Node ${this.id} did not get the lock within ${waitFor} ms`;
    if (this.#held) return new ConclaveError('timed-out', `${late}: another call on this node has it`, 'Wait longer, or release it.');
    const names = awaitedBy(this.protocol, this.node.state).join(', ');
    if (names === '') return new ConclaveError('timed-out', late, 'Wait longer, or check that all nodes are up.');
    return new ConclaveError('timed-out', `${late}: it waits for ${names}`, `Wait longer, or check that they are up: ${names}.`);
  }
}
