/**
 * What all elections of a program have in common: leadership and its end, who leads as far as the
 * node knows, and waiting for it. Elections by a protocol and by leases differ below it.
 */
import { checkOptions, schemas } from '@conclave/core/internal';
import { ConclaveError, type Json, type NodeId } from '@conclave/core/protocol';
import { BehaviorSubject, type Observable } from 'rxjs';
import type { Delays, Health } from '../health.js';
import { valuesOf } from '../values-of.js';
import { reasonOf, type Timers, type WaitOptions, Waits } from '../waits.js';

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

/** The leader that a node knows. */
export interface Leader {
  readonly id: NodeId;
  /**
   * The number of the election in which it was elected. Neither unique nor growing in every run:
   * see docs/choosing-an-election.md.
   */
  readonly term: number;
  /** The leader's side, while this node is the leader. */
  readonly leadership?: {
    /** The number of the election: not unique in every run. By leases, the token. */
    readonly term: number;
    /**
     * By leases, a number larger than that of every leader before: pass it to the store that the
     * leader guards, and let it refuse a smaller one. Undefined by all other elections, which rest
     * on times or on nodes that do not fail: two leaders may have one term, and a later one an
     * earlier term.
     */
    readonly fencingToken: number | undefined;
    /** Aborts when this node leads no longer; its reason is a {@link LeadershipLost}. */
    readonly signal: AbortSignal;
    /** Resolves when this node leads no longer. */
    readonly lost: Promise<LeadershipLost>;
  };
}

type Leadership = NonNullable<Leader['leadership']>;

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

/**
 * An election that is shared with the other nodes. Iterating it is {@link Election.leaders} without
 * options.
 */
export interface Election extends AsyncDisposable, AsyncIterable<Leader | undefined> {
  readonly id: NodeId;
  /** The leader that this node knows now; undefined while it knows none. */
  readonly leader: Leader | undefined;
  /**
   * The present leader and each later one; undefined while this node knows none. Completes when the
   * election is closed.
   */
  readonly leader$: Observable<Leader | undefined>;
  /**
   * The number of the election in which this node takes part; it only grows. By leases: the term of
   * `leader`, 0 where it knows none. It may become smaller, since a node that has a vote may not
   * lead; the terms of those that lead grow.
   */
  readonly term: number;
  /**
   * What this node must not forget, its term above all. The option `storage` keeps it. Without it:
   * store it with each change of the leader, and pass it to the next start of the node.
   */
  readonly stable: Readonly<Record<string, Json>>;
  readonly health: Health;
  /**
   * The present leader and each later one. A slow reader misses those between. Ends when the
   * election is closed, or the signal aborts.
   */
  leaders(options?: { readonly signal?: AbortSignal }): AsyncIterable<Leader | undefined>;
  /**
   * Starts an election, also if this node knows a leader, and waits for the leader. Where an
   * election is going on, it waits for that one's. By leases a leader leads as long as it lives: it
   * only waits until this node knows one.
   *
   * A start cannot be withdrawn: after a wait that ended early the election goes on.
   *
   * `abandon` gives up the election that is going on, and starts the next one: for an election that
   * has stopped because a node crashed or a message was lost. Default false. By leases no election
   * stops, and it does nothing.
   *
   * @throws {ConclaveError} `aborted` (its `cause` is the signal's reason), `timed-out`, `closed`,
   * `refused` (the peers do not admit this node); `bad-input` for a `waitFor` that is no time.
   */
  elect(options?: WaitOptions & { readonly abandon?: boolean }): Promise<Leader>;
  /**
   * Ends the leadership of this node, and starts an election, which this node may win again, in a
   * later term. Does nothing where it does not lead. By a protocol whose leader ignores `elect`,
   * such as bully, the other nodes still count on it. To leave for good, close the election.
   */
  resign(): void;
  /**
   * Ends the leadership of this node and all waits, and closes the node. To the other nodes this is
   * a crash; by leases it hands over first.
   */
  close(): Promise<void>;
}

type ElectOptions = NonNullable<Parameters<Election['elect']>[0]>;

const electOptions = schemas.optionsOf<ElectOptions>({
  signal: schemas.optional(schemas.signal),
  waitFor: schemas.optional(schemas.measure('milliseconds')),
  abandon: schemas.optional(schemas.flag),
});

/** An election that this program only follows: it neither stands nor votes. */
export type ElectionClient = Omit<Election, 'resign' | 'stable' | 'elect'> & {
  /**
   * Waits until this client knows a leader.
   *
   * @throws {ConclaveError} as {@link Election.elect}.
   */
  elect(options?: WaitOptions): Promise<Leader>;
};

/**
 * What all elections do alike: they tell the leader that their node knows, to those who wait and
 * those who follow.
 */
export abstract class SharedElection implements Election {
  readonly leader$: Observable<Leader | undefined>;
  abstract readonly term: number;
  abstract readonly stable: Election['stable'];
  abstract readonly health: Health;
  readonly #leaders = new BehaviorSubject<Leader | undefined>(undefined);
  readonly #waits: Waits<Leader>;
  /** Why it has ended. */
  #ended: ConclaveError | undefined;

  /**
   * @param late the error of a wait that is over after so many milliseconds; when it began, the
   * node had reported `since` refusals
   */
  constructor(
    readonly id: NodeId,
    clock: Timers,
    delays: Delays,
    late: (waitFor: number, since: number) => ConclaveError,
  ) {
    this.leader$ = this.#leaders.asObservable();
    this.#waits = new Waits(clock, {
      call: 'elect',
      id,
      purpose: 'for a leader',
      delays,
      requireOpen: () => {
        if (this.#ended) throw this.#ended;
      },
      late,
    });
  }

  abstract resign(): void;
  /** Starts an election, where there is one to start. */
  protected abstract start(abandon: boolean): void;
  /** Ends the leadership of this node. */
  protected abstract lose(): void;
  /** Ends what this election is made of. */
  protected abstract closeNode(): Promise<unknown>;

  get leader(): Leader | undefined {
    return this.#leaders.value;
  }

  leaders(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<Leader | undefined> {
    return valuesOf(this.leader$, 'latest', 'leaders', options);
  }

  [Symbol.asyncIterator](): AsyncIterator<Leader | undefined> {
    return this.leaders()[Symbol.asyncIterator]();
  }

  elect(options: ElectOptions = {}): Promise<Leader> {
    const { abandon = false, ...wait } = options;
    return this.#waits.add(wait, () => {
      checkOptions('elect', electOptions, options);
      this.start(abandon);
      if (this.leader) this.#waits.grantAll(this.leader); // known at once
    });
  }

  async close(): Promise<void> {
    this.end();
    await this.closeNode();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Whether a call waits for a leader. */
  protected get isAwaited(): boolean {
    return this.#waits.first !== undefined;
  }

  protected get ended(): ConclaveError | undefined {
    return this.#ended;
  }

  protected tell(leader: Leader | undefined): void {
    const before = this.#leaders.value;
    if (
      before?.id === leader?.id &&
      before?.term === leader?.term &&
      before?.leadership?.signal === leader?.leadership?.signal
    )
      return;
    this.#leaders.next(leader);
    if (leader) this.#waits.grantAll(leader);
  }

  /**
   * Nobody leads here any longer, and each wait, also a later one, fails: because this program has
   * closed it, others refuse its node, or its node has heard `cause`.
   */
  protected end(refusal?: ConclaveError, cause?: ConclaveError): void {
    if (this.#ended) return;
    const closed = `The election of node ${this.id} is closed`;
    this.#ended = refusal ?? new ConclaveError('closed', closed, '', cause && { cause });
    this.lose();
    this.#leaders.next(undefined);
    this.#leaders.complete();
    this.#waits.refuseAll(this.#ended);
  }
}
