import { type Embedded, type EmbedOptions, embed, wallClock } from '@conclave/core/embedding';
import { checkOptions, schemas } from '@conclave/core/options';
import { type Command, ConclaveError, type Json, type NodeId, type Protocol, type TimerClock } from '@conclave/core/protocol';

/** As for `embed`: who the node is, whom it knows, and how it reaches them. */
export type LockOptions = EmbedOptions & {
  /** What this node wants, where the protocol's `acquire` carries something: `{ interval: { from: 628, to: 737 } }`. */
  readonly claim?: Readonly<Record<string, Json>>;
};

export interface AcquireOptions {
  /** Ends the wait with the error `aborted`. */
  readonly signal?: AbortSignal;
  /** How long to wait at most, in milliseconds, before the error `timed-out`. Default: as long as it takes. */
  readonly waitFor?: number;
}

/** The lock, while this node has it. */
export interface Held extends AsyncDisposable {
  /**
   * A number larger than at every entry of any node before, for a store that turns away whoever comes with less than it has seen; undefined
   * for a protocol that has none. What it takes for this to be so stands on the protocol's page, under "Fencing".
   */
  readonly fencingToken: number | undefined;
  /** When the token grows, as the protocol says it; undefined where it grows in every run that the protocol's assumptions allow. */
  readonly fencingCondition: string | undefined;
  /** Gives the lock back; a second time, or after the lock was closed, does nothing. */
  release(): void;
}

/** A lock that is shared with the other nodes. */
export interface Lock extends AsyncDisposable {
  readonly id: NodeId;
  /**
   * Waits for the lock; several calls on one node are served in their order, each in turn with the other nodes.
   *
   * A request on its way cannot be withdrawn: when a wait has ended without the lock, the node still gets it some time, and gives it
   * back at once (or hands it to the next call that waits).
   *
   * @throws {ConclaveError} `aborted` (its `cause` is the signal's reason), `timed-out`, `closed`; `bad-input` for a `waitFor` that is no time.
   */
  acquire(options?: AcquireOptions): Promise<Held>;
  /** Runs `critical` while it has the lock, and gives that back however `critical` ends. Throws what `acquire` and `critical` throw. */
  run<T>(critical: (held: Held) => T | Promise<T>, options?: AcquireOptions): Promise<T>;
  /** Gives the lock back, ends all waits with the error `closed`, and closes the node. For most protocols the other nodes cannot go on without it. */
  close(): Promise<void>;
}

/**
 * A lock among several programs, by any protocol of the problem `mutual-exclusion`.
 *
 * At most one node has it, and each that waits gets it, as long as the protocol's assumptions hold: none of the nodes dies or is closed
 * while others still need the lock, and every `acquire` is followed by a `release`. Nothing here stops a holder that was paused for a while
 * from going on: give `fencingToken` to the store that the lock guards, and let that turn away whoever has been overtaken.
 *
 * @throws {ConclaveError} `bad-input` for a protocol of another problem, and as `embed`.
 * @example
 * await using counter = lock(ricartAgrawala, { self: 'a', peers: ['b'], transport });
 * await counter.run(async ({ fencingToken }) => write((await read()) + 1, fencingToken));
 */
export function lock(protocol: Protocol, options: LockOptions): Lock {
  checkOptions('lock', schemas.protocolGiven, { protocol });
  checkOptions('lock', lockOptions, options);
  if (protocol.problem !== 'mutual-exclusion')
    throw new ConclaveError(
      'bad-input',
      `${protocol.title} solves '${protocol.problem}'; a lock needs a protocol for 'mutual-exclusion'`,
      'Try ricartAgrawala or raymond().',
    );
  const { claim = {}, ...embedding } = options;
  const { fields = [] } = protocol.commands.acquire ?? {};
  const claimed = Object.keys(claim);
  if (claimed.length !== fields.length || fields.some((field) => !claimed.includes(field)))
    throw new ConclaveError(
      'bad-input',
      `The claim has (${claimed.join(', ')}), but to acquire something by ${protocol.title} takes (${fields.join(', ')})`,
      'Give claim exactly these fields.',
    );
  return new NodeLock(protocol, embed(protocol, embedding), { ...claim, type: 'acquire' }, options);
}

const longestWait = 2 ** 31 - 1; // what setTimeout takes
const { optional, optionsOf } = schemas;
const lockOptions = optionsOf<LockOptions>({ ...schemas.embedEntries, claim: optional(schemas.fields) });
const acquireOptions = optionsOf<AcquireOptions>({
  signal: optional(schemas.signal),
  waitFor: optional(schemas.upTo(longestWait, 'milliseconds')),
});

interface Waiter {
  readonly grant: (held: Held) => void;
  readonly refuse: (error: ConclaveError) => void;
}

const release: Command = { type: 'release' };

class NodeLock implements Lock {
  readonly #waiting: Waiter[] = [];
  #held: Held | undefined;
  #closed = false;

  readonly #clock: TimerClock;

  constructor(
    private readonly protocol: Protocol,
    private readonly node: Embedded,
    private readonly command: Command,
    private readonly options: LockOptions,
  ) {
    this.#clock = options.clock ?? wallClock;
    node.state$.subscribe({ next: () => this.#serve(), complete: () => this.#end() });
  }

  get id(): NodeId {
    return this.node.id;
  }

  acquire(options: AcquireOptions = {}): Promise<Held> {
    return new Promise((resolve, reject) => {
      checkOptions('acquire', acquireOptions, options);
      const { signal, waitFor } = options;
      if (this.#closed) throw this.#isClosed();
      if (signal?.aborted) throw this.#isAborted(signal);
      const settle = () => {
        signal?.removeEventListener('abort', abort);
        if (timer !== undefined) this.#clock.clearTimeout(timer);
        const place = this.#waiting.indexOf(waiter);
        if (place >= 0) this.#waiting.splice(place, 1);
      };
      const waiter: Waiter = {
        grant: (held) => {
          settle();
          resolve(held);
        },
        refuse: (error) => {
          settle();
          reject(error);
        },
      };
      const abort = () => signal && waiter.refuse(this.#isAborted(signal));
      const timer = waitFor === undefined ? undefined : this.#clock.setTimeout(() => waiter.refuse(this.#isLate(waitFor)), waitFor);
      signal?.addEventListener('abort', abort);
      this.#waiting.push(waiter);
      this.#serve();
    });
  }

  async run<T>(critical: (held: Held) => T | Promise<T>, options?: AcquireOptions): Promise<T> {
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

  /** Does what is to do in the node's present state. */
  #serve(): void {
    if (this.#held) return;
    const [next] = this.#waiting;
    if (this.node.state.tags.has('critical')) {
      if (!next) return this.#tell(release); // nobody waits for it any more
      this.#held = this.#grant();
      next.grant(this.#held);
    } else if (next && this.node.takes(this.command)) this.#tell(this.command);
  }

  /** A machine that fails is no mistake of the caller who happens to wait. */
  #tell(command: Command): void {
    try {
      this.node.send(command);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      const { onError = console.error } = this.options;
      onError(error);
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

  /** Nobody gets the lock from here any more. */
  #end(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiting]) waiter.refuse(this.#isClosed());
  }

  #isClosed(): ConclaveError {
    return new ConclaveError('closed', `The lock of node ${this.id} is closed`);
  }

  #isAborted(signal: AbortSignal): ConclaveError {
    return new ConclaveError('aborted', `Node ${this.id} stopped waiting for the lock: its signal was aborted`, '', {
      cause: signal.reason,
    });
  }

  #isLate(waitFor: number): ConclaveError {
    return new ConclaveError(
      'timed-out',
      `Node ${this.id} did not get the lock within ${waitFor} ms`,
      'Wait longer, or look whether all nodes are up.',
    );
  }
}
