import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../protocol/node.js';
import type { RefusalReason } from './transport.js';

/** Of a transport that refuses nothing. */
export const noRefusals: Readonly<Record<RefusalReason, number>> = {
  malformed: 0,
  version: 0,
  network: 0,
  stranger: 0,
  misaddressed: 0,
  forged: 0,
  'too-large': 0,
};

/** Whether a refusal is reported: the first, the tenth and so on, so that a flood stays unheard. */
export const isReported = (count: number): boolean => /^10*$/.test(String(count));

/** The error, with how many of its kind there were. */
export const counted = (error: ConclaveError, count: number): ConclaveError =>
  count === 1
    ? error
    : new ConclaveError(error.code, `${error.what} (the ${count}th of its kind)`, error.cure, {
        cause: error.cause ?? error,
      });

/** Who sends under ever new names must not fill the memory. */
const mostKinds = 1000;

/** Counts the errors that messages of peers, or to them, cause: a flood must not flood the reports. */
export class Repeats {
  readonly #counts = new Map<string, number>();

  /** The error, if it is to be reported: the first of its code and its peer, the tenth and so on. */
  due(error: ConclaveError, peer: NodeId): ConclaveError | undefined {
    // what no state handles names state and message, of which there are few
    const kind = error.code === 'unhandled' ? error.what : `${error.code} ${peer}`;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    if (this.#counts.size >= mostKinds) this.#counts.clear();
    this.#counts.set(kind, count);
    return isReported(count) ? counted(error, count) : undefined;
  }
}
