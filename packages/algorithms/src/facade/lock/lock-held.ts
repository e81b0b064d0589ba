import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { reasonOf } from '../reason-of.js';

/** The lock, while this node has it. */
export interface Held extends AsyncDisposable {
  /**
   * A number larger than at every entry of any node before, for a store that refuses a smaller one
   * than it has seen; undefined for a protocol that has none. The section "Fencing" of the
   * protocol's page names the assumptions.
   */
  readonly fencingToken: number | undefined;
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
  closed: 'this program has closed it',
  stopped: 'its node has stopped',
};

/** That a node has the lock no longer, although it did not release it. Its `code` is `lost`. */
export class LockLost extends ConclaveError {
  constructor(
    readonly node: NodeId,
    /**
     * `closed`: by this program; `stopped`: the node failed; `suspected`: the others take it for
     * crashed; or as the protocol says, such as `lease-expired`.
     */
    readonly reason: string,
    what: string = `Node ${node} has lost the lock: ${texts[reason] ?? reason}`,
    cure: string = 'Stop the work in the critical section.',
    options?: ErrorOptions,
  ) {
    super('lost', what, cure, options);
  }
}

/** What its owner does with a {@link Held}. */
export interface Holding {
  readonly held: Held;
  readonly lose: (error: LockLost) => void;
}

/** @param release called at each call of `release`; @param remaining its value */
export function newHolding(
  fence: Pick<Held, 'fencingToken' | 'fencingCondition'>,
  release: () => void,
  remaining: () => number,
): Holding {
  const controller = new AbortController();
  const { signal } = controller;
  const held: Held = {
    ...fence,
    signal,
    lost: reasonOf(signal),
    get remaining() {
      return remaining();
    },
    release,
    [Symbol.asyncDispose]: async () => release(),
  };
  return { held, lose: (error) => controller.abort(error) };
}

/**
 * Runs `critical`, and releases `held`. `settle` tells of a lease that has expired, although its
 * timer is late.
 *
 * @throws what `critical` throws; {@link LockLost} where the lock was lost before `critical` ended,
 * with what it threw as the `cause`.
 */
export async function runHeld<H extends Pick<Held, 'signal' | 'release'>, T>(
  held: H,
  critical: (held: H) => T | Promise<T>,
  settle: () => void = () => {},
): Promise<T> {
  const { signal } = held;
  try {
    const result = await critical(held);
    settle();
    signal.throwIfAborted();
    return result;
  } catch (error) {
    const { reason } = signal;
    if (!(reason instanceof LockLost) || error === reason) throw error;
    throw new LockLost(reason.node, reason.reason, reason.what, reason.cure, { cause: error });
  } finally {
    held.release();
  }
}
