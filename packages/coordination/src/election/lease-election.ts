/**
 * An election by leases is a lock that nobody gives back: each node waits for the lock from its start
 * on, and leads while it has it. So a leader has a fencing token, which elections by messages alone
 * cannot give it.
 *
 * A lock tells its own node that it has it, not the others who does. What they know comes from
 * elsewhere, {@link OtherNodes}: from the votes of the lock's protocol, or from the row of a store.
 */
import type { Options } from '@conclave/algorithms/leased-majority';
import { schemas } from '@conclave/core/internal';
import { ConclaveError, type FencedProtocol, type NodeId } from '@conclave/core/protocol';
import type { Observable } from 'rxjs';
import type { Health } from '../health.js';
import type { Held as HeldLock } from '../lock/lock-held.js';
import type { NodeLock } from '../lock/lock-node.js';
import { stableOf } from '../stable.js';
import type { Timers } from '../waits.js';
import {
  type Election,
  type Held,
  type Leader,
  type LostReason,
  leadershipOf,
  publicOf,
  SharedElection,
} from './shared-election.js';

/** What a node knows of the other nodes. */
export interface OtherNodes {
  /** Which of them leads. */
  readonly leader: () => Pick<Leader, 'id' | 'term'> | undefined;
  /** Emits when that, or `isPreferredWaiting`, may have changed. */
  readonly change$: Observable<unknown>;
  /** Whether the preferred leader, which leads while it is up, is one of them and waits. */
  readonly isPreferredWaiting: () => boolean;
  readonly stable: () => Election['stable'];
  /** What an error advises where nobody leads for too long. */
  readonly cure: string;
}

export class LeaseElection extends SharedElection {
  #held: { readonly leadership: Held; readonly lock: HeldLock } | undefined;

  constructor(
    private readonly lock: NodeLock,
    clock: Timers,
    private readonly others: OtherNodes,
  ) {
    super(lock.id, clock, lock.delays, (waitFor, since) =>
      lock.delays.timedOut(
        lock.node,
        `Node ${lock.id} knows no leader after ${waitFor} ms`,
        since,
        { cure: others.cure },
      ),
    );
    others.change$.subscribe({
      next: () => {
        if (this.#held && others.isPreferredWaiting()) this.resign();
        this.#tellLeader();
      },
    });
    void this.#stand();
  }

  get term(): number {
    return this.leader?.term ?? 0;
  }

  get stable(): Election['stable'] {
    return this.others.stable();
  }

  get health(): Health {
    return this.lock.health;
  }

  resign(): void {
    const lock = this.#held?.lock;
    this.lose('resigned');
    lock?.release();
  }

  protected start(): void {} // it stands from its start on

  protected lose(reason: LostReason = 'closed'): void {
    const held = this.#held;
    this.#held = undefined;
    held?.leadership.end(reason);
    this.#tellLeader();
  }

  protected closeNode(): Promise<void> {
    return this.lock.close();
  }

  /** Waits for the lock, leads while it has it, and waits again. */
  async #stand(): Promise<void> {
    try {
      for (;;) await this.#lead(await this.lock.acquire());
    } catch (error) {
      const cause = error instanceof ConclaveError ? error : undefined;
      this.end(cause?.code === 'refused' ? cause : undefined, cause);
    }
  }

  async #lead(lock: HeldLock): Promise<void> {
    const { signal, fencingToken = 0 } = lock;
    if (signal.aborted) return;
    if (this.others.isPreferredWaiting()) return lock.release(); // before anybody hears of it
    const leadership = leadershipOf(this.id, fencingToken, fencingToken);
    this.#held = { leadership, lock };
    const onAbort = () => this.lose(lostReasons[signal.reason.reason] ?? 'closed');
    signal.addEventListener('abort', onAbort, { once: true });
    this.#tellLeader();
    await leadership.lost;
  }

  /** Tells those who wait and follow who leads, as far as this node knows. */
  #tellLeader(): void {
    if (this.ended) return;
    if (this.#held)
      this.tell({
        id: this.id,
        term: this.#held.leadership.term,
        leadership: publicOf(this.#held.leadership),
      });
    else this.tell(this.others.leader());
  }
}

/** Why a leadership is lost, by the reason why its lock is. */
const lostReasons: Readonly<Record<string, LostReason>> = {
  'lease-expired': 'lease-expired',
  taken: 'later-term',
};

/** What the nodes of A19, `leasedMajority`, know of each other: the one that leads tells its voters. */
export const votersKnowledge = (
  protocol: FencedProtocol,
  { id, node }: NodeLock,
  preferred: NodeId | undefined,
): OtherNodes => ({
  leader: () => {
    const { tags, context } = node.state;
    return tags.has('told')
      ? { id: String(context.leader), term: Number(context.term) }
      : undefined;
  },
  change$: node.state$,
  // it is up, or has crashed since it has asked last
  isPreferredWaiting: () =>
    preferred !== undefined &&
    preferred !== id &&
    (protocol.contenders?.(node.state).waiting ?? []).includes(preferred),
  stable: () => stableOf(protocol, node.state),
  cure: 'Wait longer, or check that a majority of the nodes is up.',
});

// The times of an election by leases, which its nodes and its clients have in common.

type LeaseTimes = Pick<Options, 'lease' | 'drift' | 'renewal'>;

type GivenTimes = { readonly [T in keyof LeaseTimes]: LeaseTimes[T] | undefined };

const { optional, measureAbove0 } = schemas;
export const leaseTimeEntries = {
  lease: optional(measureAbove0('milliseconds')),
  drift: optional(schemas.drift),
  renewal: optional(measureAbove0('milliseconds')),
};

/** The times that are given. */
export const timesOf = ({ lease, drift, renewal }: GivenTimes): LeaseTimes => ({
  ...(lease !== undefined && { lease }),
  ...(drift !== undefined && { drift }),
  ...(renewal !== undefined && { renewal }),
});
