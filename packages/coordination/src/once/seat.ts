import type { NodeId } from '@conclave/core/protocol';
import type { Election } from '../election/shared-election.js';
import type { Held } from '../lock/lock-held.js';
import type { Lock } from '../lock/lock-types.js';

/** The time for which this process has the lock, or leads. */
export interface Tenure {
  readonly token: number | undefined;
  /** Aborts when it is over. */
  readonly signal: AbortSignal;
  /** Whether it is over, also where a pause has kept `signal` from telling. */
  readonly isOver: () => boolean;
}

/** A job that wants to run here. */
export interface Candidate {
  /** Resolves when it works no longer. */
  begin(tenure: Tenure): Promise<void>;
  /** There will be no tenure: the lock or election is closed, or this process is refused. */
  end(cause?: unknown): void;
}

/** What makes one process the leader: a lock, or an election. */
export interface Seat {
  readonly id: NodeId;
  /** @returns what withdraws the candidate */
  join(candidate: Candidate): () => void;
}

export const electionSeat = (election: Election): Seat => ({
  id: election.id,
  join: (candidate) => {
    const subscription = election.leader$.subscribe({
      next: (leader) => {
        const { signal, fencingToken } = leader?.leadership ?? {};
        if (signal)
          void candidate.begin({ token: fencingToken, signal, isOver: () => signal.aborted });
      },
      complete: () => candidate.end(),
    });
    return () => subscription.unsubscribe();
  },
});

const seats = new WeakMap<Lock, LockSeat>();

/** One for all jobs of this process over the lock: they share its tenure. */
export function lockSeat(lock: Lock): Seat {
  const seat = seats.get(lock) ?? new LockSeat(lock);
  seats.set(lock, seat);
  return seat;
}

/** Waits for the lock as long as there are candidates, and holds it for them. */
class LockSeat implements Seat {
  readonly id: NodeId;
  readonly #candidates = new Set<Candidate>();
  #tenure: Tenure | undefined;
  /** What works in this tenure. */
  #works: Promise<void>[] = [];
  #stands = false;
  /** Aborts when the last candidate has withdrawn. */
  #left = new AbortController();

  constructor(private readonly lock: Lock) {
    this.id = lock.id;
  }

  join(candidate: Candidate): () => void {
    this.#candidates.add(candidate);
    if (this.#tenure) this.#works.push(candidate.begin(this.#tenure));
    else if (!this.#stands) void this.#stand();
    return () => {
      if (!this.#candidates.delete(candidate) || this.#candidates.size > 0) return;
      this.#tenure = undefined; // who joins from now on waits for the next one
      this.#left.abort();
    };
  }

  async #stand(): Promise<void> {
    this.#stands = true;
    while (this.#candidates.size > 0) {
      this.#left = new AbortController();
      try {
        await this.#hold(await this.lock.acquire({ signal: this.#left.signal }));
      } catch (error) {
        if (!this.#left.signal.aborted) this.#endAll(error);
      }
    }
    this.#stands = false;
  }

  /**
   * Until the lock is lost, or the last candidate has withdrawn. A process whose job goes on although
   * the lock is lost does not stand again before it has ended.
   */
  async #hold(held: Held): Promise<void> {
    const { fencingToken: token, signal } = held;
    const left = this.#left.signal;
    const over = new Promise<void>((resolve) => {
      for (const each of [signal, left])
        each.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted || left.aborted) resolve();
    });
    this.#tenure = { token, signal, isOver: () => held.remaining <= 0 };
    const tenure = this.#tenure;
    this.#works = [...this.#candidates].map((candidate) => candidate.begin(tenure));
    await over;
    this.#tenure = undefined;
    held.release();
    await Promise.all(this.#works);
  }

  #endAll(cause: unknown): void {
    const ended = [...this.#candidates];
    this.#candidates.clear();
    for (const candidate of ended) candidate.end(cause);
  }
}
