import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { reasonOf } from '../waits.js';

export type LostReason = LeadershipLost['reason'];

const texts: Readonly<Record<LostReason, string>> = {
  'later-term': 'it knows of a later election',
  'no-contact': 'it has no contact with enough other nodes',
  'lease-expired': 'its lease has expired',
  resigned: 'it has resigned',
  closed: 'its election is closed',
};

/** How a leadership ended. Its `code` is `lost`. */
export class LeadershipLost extends ConclaveError {
  constructor(
    readonly node: NodeId,
    readonly term: number,
    /**
     * Why the node leads no longer.
     *
     * - `later-term`: it knows of a later election.
     * - `no-contact`: it suspects so many nodes that the others may elect another leader without it.
     * - `lease-expired`: votes of a majority could not be renewed in time.
     * - `resigned`, `closed`: this program has given up, or its node has stopped.
     */
    readonly reason: 'later-term' | 'no-contact' | 'lease-expired' | 'resigned' | 'closed',
  ) {
    super(
      'lost',
      `Node ${node} does not lead in term ${term} any longer: ${texts[reason]}`,
      'Stop the work of the leader.',
    );
  }
}

/** The leader's side of an election, while this node leads. */
export interface Leadership {
  /** The number of the election: not unique in every run. By leases, the token. */
  readonly term: number;
  /**
   * By leases, a number larger than that of every leader before: pass it to the store that the
   * leader guards, and let it refuse a smaller one. Undefined by all other elections, which rest on
   * times or on nodes that do not fail: two leaders may have one term, and a later one an earlier
   * term.
   */
  readonly fencingToken: number | undefined;
  /** Aborts when this node leads no longer; its reason is a {@link LeadershipLost}. */
  readonly signal: AbortSignal;
  /** Resolves when this node leads no longer. */
  readonly lost: Promise<LeadershipLost>;
}

/** A leadership, and how to end it. */
export interface Held extends Leadership {
  end(reason: LostReason): void;
}

export const publicOf = ({ term, fencingToken, signal, lost }: Held): Leadership => ({
  term,
  fencingToken,
  signal,
  lost,
});

export function leadershipOf(node: NodeId, term: number, fencingToken?: number): Held {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    term,
    fencingToken,
    signal,
    lost: reasonOf(signal),
    end: (reason) => controller.abort(new LeadershipLost(node, term, reason)),
  };
}
