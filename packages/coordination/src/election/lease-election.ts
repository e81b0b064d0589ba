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

/** What a node knows of the other ones. */
export interface Others {
  /** The one that leads. */
  readonly leader: () => Pick<Leader, 'id' | 'term'> | undefined;
  /** When that may have changed. */
  readonly change$: Observable<unknown>;
  /** Whether one of them waits that is to lead while it is up. */
  readonly isPreferredWaiting: () => boolean;
  readonly stable: () => Election['stable'];
  /** What to do where nobody leads for too long. */
  readonly cure: string;
}

/** The leader is the node that has the lock. Each node waits for the lock from its start on. */
export class LeaseElection extends SharedElection {
  #held: { readonly leadership: Held; readonly lock: HeldLock } | undefined;

  constructor(
    private readonly lock: NodeLock,
    clock: Timers,
    private readonly others: Others,
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
        this.#look();
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
    this.#look();
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
    signal.addEventListener('abort', () => this.lose(reasons[signal.reason.reason] ?? 'closed'), {
      once: true,
    });
    this.#look();
    await leadership.lost;
  }

  /** This node leads where it has the lock. */
  #look(): void {
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

/** By that of the lock. */
const reasons: Readonly<Record<string, LostReason>> = {
  'lease-expired': 'lease-expired',
  taken: 'later-term',
};

/** The lock A19: the node that leads tells the others so. */
export const votersOf = (
  protocol: FencedProtocol,
  { id, node }: NodeLock,
  preferred: NodeId | undefined,
): Others => ({
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

type Given = { readonly [T in keyof LeaseTimes]: LeaseTimes[T] | undefined };

const { optional, measureAbove0 } = schemas;
export const timeEntries = {
  lease: optional(measureAbove0('milliseconds')),
  drift: optional(schemas.drift),
  renewal: optional(measureAbove0('milliseconds')),
};

/** Without those that are not given. */
export const timesOf = ({ lease, drift, renewal }: Given): LeaseTimes => ({
  ...(lease !== undefined && { lease }),
  ...(drift !== undefined && { drift }),
  ...(renewal !== undefined && { renewal }),
});
