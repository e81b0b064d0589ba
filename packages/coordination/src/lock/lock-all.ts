import { ConclaveError } from '@conclave/core/protocol';
import { reasonOf, type WaitOptions } from '../waits.js';
import { type Held, LockLost } from './lock-held.js';
import type { Lock } from './lock-types.js';

/** Several locks, while this node has them all. */
export interface HeldAll<T extends number | undefined = number | undefined>
  extends AsyncDisposable {
  /** The fencing token of each lock, by its name. */
  readonly fencingTokens: Readonly<Record<string, T>>;
  /**
   * Aborts when one of them is lost; its reason is that {@link LockLost}. The node still has the
   * others until `release`.
   */
  readonly signal: AbortSignal;
  /** Resolves when one of them is lost. */
  readonly lost: Promise<LockLost>;
  /** Gives back all that it still has, in the reverse order. */
  release(): void;
}

/**
 * Acquires `locks` in their order, and gives back what it has if it does not get them all.
 *
 * @param now the time in milliseconds
 */
export async function acquireEach(
  locks: ReadonlyMap<string, Lock>,
  options: WaitOptions,
  now: () => number,
): Promise<HeldAll> {
  const { signal: given, waitFor } = options;
  const begun = now();
  const all: { readonly name: string; readonly held: Held }[] = [];
  const release = () => {
    for (const { held } of all.toReversed()) held.release();
  };
  /** Ends the wait for the next one, too. */
  const ended = new AbortController();
  const abort = () => ended.abort(given?.reason);
  if (given?.aborted) abort();
  given?.addEventListener('abort', abort);
  try {
    for (const [name, lock] of locks) {
      const left = waitFor === undefined ? {} : { waitFor: timeLeft(waitFor, now() - begun) };
      const held = await lock.acquire({ signal: ended.signal, ...left }).catch((error: unknown) => {
        throw ended.signal.reason instanceof LockLost ? ended.signal.reason : withName(name, error);
      });
      all.push({ name, held });
      held.signal.addEventListener('abort', () => ended.abort(held.signal.reason), { once: true });
      if (held.signal.aborted) throw held.signal.reason;
    }
  } catch (error) {
    release();
    throw error;
  } finally {
    given?.removeEventListener('abort', abort);
  }
  const { signal } = ended;
  const lost = reasonOf<LockLost>(signal);
  const fencingTokens = Object.fromEntries(all.map(({ name, held }) => [name, held.fencingToken]));
  return { fencingTokens, signal, lost, release, [Symbol.asyncDispose]: async () => release() };
}

/** What is left of a time limit after `passed`; one that makes no sense stays so. */
const timeLeft = (waitFor: number, passed: number): number =>
  waitFor > passed ? waitFor - passed : Math.min(waitFor, 0);

/** The error of one of the locks, with its name. */
const withName = (name: string, error: unknown): unknown =>
  error instanceof ConclaveError && error.code !== 'bad-input'
    ? new ConclaveError(
        error.code,
        `Not all locks were acquired, for '${name}': ${error.what}`,
        error.cure,
        { cause: error.cause ?? error },
      )
    : error;
