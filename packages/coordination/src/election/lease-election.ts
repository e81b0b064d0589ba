import type { leasedMajority, Options } from '@conclave/algorithms/leased-majority';
import { schemas } from '@conclave/core/internal';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import type { Health } from '../health.js';
import type { Held as HeldLock } from '../lock/lock-held.js';
import type { NodeLock } from '../lock/lock-node.js';
import { stableOf } from '../stable.js';
import type { Timers } from '../waits.js';
import {
  type Election,
  type Held,
  type LostReason,
  leadershipOf,
  publicOf,
  SharedElection,
} from './shared-election.js';

/** The leader is the node that has the lock A19. Each node waits for the lock from its start on. */
export class LeaseElection extends SharedElection {
  #held: { readonly leadership: Held; readonly lock: HeldLock } | undefined;

  constructor(
    private readonly protocol: ReturnType<typeof leasedMajority>,
    private readonly lock: NodeLock,
    clock: Timers,
    private readonly preferred: NodeId | undefined,
  ) {
    super(lock.id, clock, lock.delays, (waitFor, since) =>
      lock.delays.timedOut(
        lock.node,
        `Node ${lock.id} knows no leader after ${waitFor} ms`,
        since,
        {
          cure: 'Wait longer, or check that a majority of the nodes is up.',
        },
      ),
    );
    lock.node.state$.subscribe({
      next: () => {
        if (this.#held && this.#givesWay()) this.resign();
        this.#look();
      },
    });
    void this.#stand();
  }

  get term(): number {
    return this.leader?.term ?? 0;
  }

  get stable(): Election['stable'] {
    return stableOf(this.protocol, this.lock.node.state);
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
    if (this.#givesWay()) return lock.release(); // before anybody hears of it
    const leadership = leadershipOf(this.id, fencingToken, fencingToken);
    this.#held = { leadership, lock };
    signal.addEventListener(
      'abort',
      () => this.lose(signal.reason.reason === 'lease-expired' ? 'lease-expired' : 'closed'),
      {
        once: true,
      },
    );
    this.#look();
    await leadership.lost;
  }

  /** Whether the preferred node waits. It is up, or has crashed since it has asked last. */
  #givesWay(): boolean {
    const { preferred, protocol } = this;
    if (preferred === undefined || preferred === this.id) return false;
    const { waiting = [] } = protocol.contenders?.(this.lock.node.state) ?? {};
    return waiting.includes(preferred);
  }

  /** This node leads where it has the lock; otherwise the node that has told it so. */
  #look(): void {
    if (this.ended) return;
    const { tags, context } = this.lock.node.state;
    if (this.#held)
      this.tell({
        id: this.id,
        term: this.#held.leadership.term,
        leadership: publicOf(this.#held.leadership),
      });
    else
      this.tell(
        tags.has('told') ? { id: String(context.leader), term: Number(context.term) } : undefined,
      );
  }
}

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
