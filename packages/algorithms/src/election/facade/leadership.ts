import { ConclaveError, type NodeId } from '@conclave/core/protocol';

/**
 * Why a node leads no longer.
 *
 * - `later-term`: it knows of a later election.
 * - `no-contact`: it suspects so many nodes that the others may elect another leader without it.
 * - `resigned`, `closed`: this program has given up.
 */
export type LostReason = 'later-term' | 'no-contact' | 'resigned' | 'closed';

const texts: Readonly<Record<LostReason, string>> = {
  'later-term': 'it knows of a later election',
  'no-contact': 'it has no contact with enough other nodes',
  resigned: 'it has resigned',
  closed: 'its election is closed',
};

/** How a leadership ended. Its `code` is `lost`. */
export class LeadershipLost extends ConclaveError {
  constructor(
    readonly node: NodeId,
    readonly term: number,
    readonly reason: LostReason,
  ) {
    super('lost', `Node ${node} does not lead in term ${term} any longer: ${texts[reason]}`, 'Stop the work of the leader.');
  }
}

/** The leader's side of an election, while this node leads. */
export interface Leadership {
  /** A fencing token: larger than the term of every leader before, as long as the protocol's assumptions hold. Pass it to what the leader guards. */
  readonly term: number;
  /** Aborts when this node leads no longer; its reason is a {@link LeadershipLost}. */
  readonly signal: AbortSignal;
  /** Resolves when this node leads no longer. */
  readonly lost: Promise<LeadershipLost>;
}

/** A leadership, and how to end it. */
export interface Held extends Leadership {
  end(reason: LostReason): void;
}

export function leadershipOf(node: NodeId, term: number): Held {
  const controller = new AbortController();
  const { signal } = controller;
  const lost = new Promise<LeadershipLost>((resolve) => {
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
  return { term, signal, lost, end: (reason) => controller.abort(new LeadershipLost(node, term, reason)) };
}
