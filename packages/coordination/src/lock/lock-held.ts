/** An entry in the hands of a call: its token, how it is lost, and the errors of both. */
import { ConclaveError, type Message, type NodeId, type Protocol } from '@conclave/core/protocol';
import { reasonOf } from '../waits.js';

/** The lock, while this node has it. `T` is `number` where the type of the protocol has tokens. */
export interface Held<T extends number | undefined = number | undefined> extends AsyncDisposable {
  /**
   * A number larger than at every entry of any node before, for a store that refuses a smaller one
   * than it has seen; undefined for a protocol that has none. Present it before the first read,
   * too: otherwise an older holder may write after it. The section "Fencing" of the protocol's
   * page names the assumptions.
   */
  readonly fencingToken: T;
  /**
   * The condition under which the token grows; undefined where it grows in every run that the
   * protocol's assumptions allow.
   */
  readonly fencingCondition: string | undefined;
  /**
   * Aborts when the lock is lost; its reason is a {@link LockLost}. It aborts in the step in which
   * the node leaves its critical section, before the node takes another message. A release is no
   * loss.
   */
  readonly signal: AbortSignal;
  /** Resolves when the lock is lost. */
  readonly lost: Promise<LockLost>;
  /**
   * For how many milliseconds the lock is still this node's, by the monotonic clock, if it is not
   * renewed: 0 where it was released or lost, also where the lease has expired and the event loop,
   * after a pause of the process, has not told yet. `Infinity` for a protocol without leases. For a
   * clock without `now`, 0 or `Infinity`.
   *
   * Read it before a step that must not come late. A pause may still follow: only a store that
   * refuses an old `fencingToken` is safe then.
   */
  readonly remaining: number;
  /** Gives the lock back. A second call, or one after the lock was lost or closed, does nothing. */
  release(): void;
}

const texts: Readonly<Record<string, string>> = {
  'lease-expired': 'its lease has expired',
  suspected: 'another node takes it for crashed',
  revoked: 'it was revoked',
  closed: 'this program has closed it',
  stopped: 'its node has stopped',
  stalled: 'its program was busy for too long',
};

/** That a node has the lock no longer, although it did not release it. Its `code` is `lost`. */
export class LockLost extends ConclaveError {
  constructor(
    readonly node: NodeId,
    /**
     * `closed`: by this program; `stopped`: the node failed; `suspected`: the others take it for
     * crashed; `revoked`: by an operator; or as the protocol says, such as `lease-expired`.
     */
    readonly reason: string,
    what: string = `Node ${node} has lost the lock: ${texts[reason] ?? reason}`,
    cure: string = 'Stop the work in the critical section.',
    options?: ErrorOptions,
  ) {
    super('lost', what, cure, options);
  }
}

/** An entry that knows why it was lost; undefined where it was not. */
export interface LosableHeld extends Held {
  readonly loss: LockLost | undefined;
}

interface HoldingOwner {
  readonly giveBack: (holding: Holding) => void;
  readonly remaining: (holding: Holding) => number;
}

/** What its owner makes of an entry. Most programs ask for neither signal nor `lost`. */
export class Holding implements LosableHeld {
  #loss: LockLost | undefined;
  #controller: AbortController | undefined;
  #lost: Promise<LockLost> | undefined;

  constructor(
    readonly fencingToken: number | undefined,
    readonly fencingCondition: string | undefined,
    private readonly owner: HoldingOwner,
  ) {}

  get loss(): LockLost | undefined {
    return this.#loss;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#loss) this.#controller.abort(this.#loss);
    }
    return this.#controller.signal;
  }

  get lost(): Promise<LockLost> {
    this.#lost ??= this.#loss ? Promise.resolve(this.#loss) : reasonOf(this.signal);
    return this.#lost;
  }

  get remaining(): number {
    return this.owner.remaining(this);
  }

  // a field, since programs pass it on
  readonly release = (): void => this.owner.giveBack(this);

  lose(error: LockLost): void {
    this.#loss = error;
    this.#controller?.abort(error);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }
}

/** @throws {ConclaveError} `bad-input`, before anything is acquired. */
export function requireCritical(critical: unknown): void {
  if (typeof critical !== 'function')
    throw new ConclaveError(
      'bad-input',
      `run got ${JSON.stringify(critical) ?? String(critical)} as its critical section`,
      'Give a function: lock.run(async ({ fencingToken }) => …).',
    );
}

/**
 * Enters, runs `critical`, and releases what `enter` has given. `settle` tells of a lease that has expired, although its
 * timer is late.
 *
 * @throws what `critical` throws; {@link LockLost} where the lock was lost before `critical` ended,
 * with what it threw as the `cause`.
 */
export async function runHeld<T>(
  enter: () => LosableHeld | Promise<LosableHeld>,
  critical: (held: Held) => T | Promise<T>,
  settle: () => void,
): Promise<T> {
  requireCritical(critical);
  const held = await enter();
  try {
    const result = await critical(held);
    settle();
    if (held.loss) throw held.loss;
    return result;
  } catch (error) {
    const { loss } = held;
    if (!loss || error === loss) throw error;
    throw new LockLost(loss.node, loss.reason, loss.what, loss.cure, { cause: error });
  } finally {
    held.release();
  }
}

export const isClosed = (id: NodeId): ConclaveError =>
  new ConclaveError('closed', `The lock of node ${id} is closed`);

/** @throws {ConclaveError} `bad-input` at a node that only serves the others. */
export function requireRequester(
  id: NodeId,
  { protocol, requesters }: { readonly protocol: Protocol; readonly requesters: readonly NodeId[] },
): void {
  if (requesters.includes(id)) return;
  const [first = '', ...others] = requesters;
  throw new ConclaveError(
    'bad-input',
    `Node ${id} never requests the lock: by ${protocol.title} it only serves the other nodes`,
    `Acquire at another node, such as ${others.at(-1) ?? first}.`,
  );
}

/** @param late that it did not get the lock in time */
export const isHeldHere = (late: string): ConclaveError =>
  new ConclaveError(
    'timed-out',
    `${late}: another call on this node has it`,
    'Wait longer, or release it.',
  );

/** Its entries would have the same token, or one that is smaller than before. */
export const hasNoToken = (id: NodeId, token: number): ConclaveError =>
  new ConclaveError(
    'assumption',
    `Node ${id} does not enter: its fencing token would be ${token}, and numbers are exact up to 2^53 − 1 only`,
    'Stop all nodes, and start them with empty storages in the next epoch: fencing tokens begin anew.',
  );

/** @param told what the machine says of it, if anything */
export function isLost(id: NodeId, told: Message | undefined): LockLost {
  const reason = told && 'reason' in told ? String(told.reason) : 'revoked';
  const what = `Node ${id} has lost the lock: it was revoked`;
  return told && 'why' in told
    ? new LockLost(id, reason, `${what}, ${JSON.stringify(told.why)}`)
    : new LockLost(id, reason);
}

export const isSuspected = (id: NodeId, isInside: boolean): LockLost =>
  new LockLost(
    id,
    'suspected',
    `Node ${id} has lost the lock for good: another node takes it for crashed`,
    isInside ? 'Stop the work in the critical section.' : 'Give the detector a longer time-out.',
  );
