import type { Observable } from 'rxjs';
import type { ConclaveError } from '../base/error.js';

/**
 * Where an embedded node writes its journal: one line for each step, in the one text form, see
 * docs/journals.md.
 *
 * @example embed(protocol, { self, peers, transport, journal: fileJournal('journals', 'a') });
 */
export interface Journal {
  /**
   * Takes one line, without its end of line. It may be buffered. A line that cannot be written is
   * an error of `errors$`, not of this call.
   */
  append(line: string): void;
  /** Hands over what is buffered: a node calls it when it has written the header. */
  flush?(): void;
  /** Hands over what is buffered. */
  close(): Promise<void>;
  /**
   * That lines are lost: the first, and then at growing pauses. Must hold what happens until its
   * first subscriber.
   */
  readonly errors$?: Observable<ConclaveError>;
  /** Whether a node stops when its journal fails. Default: it goes on, without the lines. */
  readonly required?: boolean;
}
