import type { NodeId } from '../protocol/node.js';
import { couldNotStart, wasClosed } from './embed-errors.js';

/** What a node does when its peers have answered. */
interface Starting {
  /** Resolves when the node is closed: a transport need not settle `admitted` then. */
  readonly closed: Promise<void>;
  readonly isClosed: () => boolean;
  /** Reports its errors, and closes the node on them. */
  readonly start: () => void;
  readonly refused: (error: unknown) => void;
}

/**
 * Starts node `id` when its peers have admitted it.
 * @throws {ConclaveError} `closed` where it was closed before or cannot start; `refused`.
 */
export function startWhen(
  admitted: Promise<void>,
  id: NodeId,
  { closed, isClosed, start, refused }: Starting,
): Promise<void> {
  const started = Promise.race([admitted, closed]).then(
    () => {
      if (isClosed()) throw wasClosed(id);
      start();
      if (isClosed()) throw couldNotStart(id);
    },
    (error: unknown) => {
      if (isClosed()) throw wasClosed(id);
      refused(error);
      throw error;
    },
  );
  // it is reported; an application that does not wait for it need not handle it again
  started.catch(() => {});
  return started;
}
