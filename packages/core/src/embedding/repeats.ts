/**
 * Which of many equal errors are reported. A peer can cause as many as it likes, so the first of a
 * kind is reported, the tenth, the hundredth and so on, each with its number.
 */
import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../protocol/node.js';

/** Whether the error with this number is reported. */
export const isReported = (count: number): boolean => /^10*$/.test(String(count));

/** The error, with its number among those of its kind. */
export const counted = (error: ConclaveError, count: number): ConclaveError =>
  count === 1
    ? error
    : new ConclaveError(error.code, `${error.what} (the ${count}th of its kind)`, error.cure, {
        cause: error.cause ?? error,
      });

/** How many kinds are counted: a peer that sends under ever new names must not fill the memory. */
const mostKinds = 1000;

/** Counts the errors that messages of peers, or to them, cause. */
export class Repeats {
  readonly #counts = new Map<string, number>();

  /** The error, if it is to be reported among those of its code and its peer. */
  due(error: ConclaveError, peer: NodeId): ConclaveError | undefined {
    // its text names a state and a message, of which there are few
    const kind = error.code === 'unhandled' ? error.what : `${error.code} ${peer}`;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    if (this.#counts.size >= mostKinds) this.#counts.clear();
    this.#counts.set(kind, count);
    return isReported(count) ? counted(error, count) : undefined;
  }
}
