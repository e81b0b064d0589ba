import type { embed } from '@conclave/core/embedding';
import { checkOptions, schemas } from '@conclave/core/options';
import { type Command, ConclaveError, type NodeId, type NodeView, type Protocol } from '@conclave/core/protocol';
import { BehaviorSubject, type Observable } from 'rxjs';
import type { Delays } from '../../facade/delays.js';
import { type Stable, stableOf } from '../../facade/stable.js';
import { valuesOf } from '../../facade/values-of.js';
import { type WaitOptions, Waits } from '../../facade/waits.js';
import { termOf } from '../election.js';
import { type Held, type Leadership, type LostReason, leadershipOf } from './leadership.js';

type Embedded = ReturnType<typeof embed>;
type Timers = NonNullable<Parameters<typeof embed>[1]['clock']>;

/** The leader that a node knows. */
export interface Leader {
  readonly id: NodeId;
  readonly term: number;
  /** Where this node is the leader. */
  readonly leadership?: Leadership;
}

export interface ElectOptions extends WaitOptions {
  /**
   * Gives up the election that is going on, and starts the next one: for an election that has stopped because a node crashed or a message was lost.
   * Default false.
   */
  readonly abandon?: boolean;
}

/** An election that is shared with the other nodes. Iterating it is {@link Election.leaders} without options. */
export interface Election extends AsyncDisposable, AsyncIterable<Leader | undefined> {
  readonly id: NodeId;
  /** The leader that this node knows now; undefined while it knows none. */
  readonly leader: Leader | undefined;
  /** The present leader and each later one; undefined while this node knows none. Completes when the election is closed. */
  readonly leader$: Observable<Leader | undefined>;
  /** The term in which this node takes part. Terms only grow. */
  readonly term: number;
  /** What this node must not forget, its term above all: store it with each change of the leader, and pass it to the next start of the node. */
  readonly stable: Stable;
  /** The present leader and each later one. A slow reader misses those between. Ends when the election is closed, or the signal aborts. */
  leaders(options?: { readonly signal?: AbortSignal }): AsyncIterable<Leader | undefined>;
  /**
   * Starts an election, also if this node knows a leader, and waits for the leader. Where an election is going on, it waits for that one's.
   *
   * A start cannot be withdrawn: after a wait that ended early the election goes on.
   *
   * @throws {ConclaveError} `aborted` (its `cause` is the signal's reason), `timed-out`, `closed`; `bad-input` for a `waitFor` that is no time.
   */
  elect(options?: ElectOptions): Promise<Leader>;
  /**
   * Ends the leadership of this node, and starts an election, which this node may win again, in a later term. Does nothing where it does not lead.
   * By a protocol whose leader ignores `elect`, such as bully, the other nodes still count on it. To leave for good, close the election.
   */
  resign(): void;
  /** Ends the leadership of this node and all waits, and closes the node. To the other nodes this is a crash. */
  close(): Promise<void>;
}

const leadersOptions = schemas.optionsOf<{ readonly signal?: AbortSignal }>({ signal: schemas.optional(schemas.signal) });

const electOptions = schemas.optionsOf<ElectOptions>({
  signal: schemas.optional(schemas.signal),
  waitFor: schemas.optional(schemas.measure('milliseconds')),
  abandon: schemas.optional(schemas.flag),
});

const elect: Command = { type: 'elect' };
const abandonment: Command = { type: 'abandon' };

/** The nodes that a node suspects: by its own failure detector, or by the one that is a part of it. */
function suspectedBy({ context }: NodeView): readonly unknown[] {
  const { suspected, detector } = context;
  return [suspected, Object(detector).suspected].flat().filter((id) => typeof id === 'string');
}

const publicOf = ({ term, signal, lost }: Held): Leadership => ({ term, signal, lost });

export class NodeElection implements Election {
  readonly leader$: Observable<Leader | undefined>;
  readonly #leaders = new BehaviorSubject<Leader | undefined>(undefined);
  readonly #waits: Waits<Leader>;
  #held: Held | undefined;
  /** The latest term in which this node has given up its leadership. */
  #resigned = -1;
  /** The nodes that this node suspects, and against whom as leaders it has started an election. */
  readonly #doubted = new Set<NodeId>();
  /** The nodes that this node suspected when it last looked. */
  #missed: ReadonlySet<unknown> = new Set();
  #closed = false;

  constructor(
    private readonly protocol: Protocol,
    private readonly title: string,
    private readonly node: Embedded,
    private readonly watch: Embedded | undefined,
    /** How many nodes there are, and with how many of them, itself included, a leader must have contact. */
    private readonly size: { readonly most: number; readonly least: number },
    clock: Timers,
    private readonly delays: Delays,
    private readonly report: (error: ConclaveError) => void,
  ) {
    this.leader$ = this.#leaders.asObservable();
    this.#waits = new Waits('elect', clock, {
      delays,
      requireOpen: () => {
        if (this.#closed) throw this.#isClosed();
      },
      aborted: (signal) => this.#isAborted(signal),
      late: (waitFor, since) => this.#isLate(waitFor, since),
    });
    node.state$.subscribe({ next: () => this.#look(), complete: () => void this.close() });
    watch?.state$.subscribe(() => this.#look());
  }

  get id(): NodeId {
    return this.node.id;
  }

  get leader(): Leader | undefined {
    return this.#leaders.value;
  }

  get term(): number {
    return termOf(this.node.state);
  }

  get stable(): Stable {
    return stableOf(this.protocol, this.node.state);
  }

  leaders(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<Leader | undefined> {
    checkOptions('leaders', leadersOptions, options);
    return valuesOf(this.leader$, 'latest', options.signal);
  }

  [Symbol.asyncIterator](): AsyncIterator<Leader | undefined> {
    return valuesOf(this.leader$, 'latest');
  }

  elect(options: ElectOptions = {}): Promise<Leader> {
    const { abandon, ...wait } = options;
    return this.#waits.add(wait, () => {
      checkOptions('elect', electOptions, options);
      if (abandon) this.#command(abandonment);
      else this.#command(elect);
      if (this.leader) this.#waits.grantAll(this.leader); // known at once
    });
  }

  resign(): void {
    if (!this.#held) return;
    this.#resigned = this.#held.term;
    this.#look();
    this.#command(elect);
  }

  async close(): Promise<void> {
    this.#end();
    await Promise.all([this.watch?.close(), this.node.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Gives the node a command, unless its state does not take it. */
  #command(command: Command): void {
    if (!this.node.takes(command)) return;
    try {
      this.node.send(command);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      this.report(error);
    }
    this.#look();
  }

  get #suspected(): ReadonlySet<unknown> {
    return new Set([this.node, this.watch].flatMap((one) => (one ? suspectedBy(one.state) : [])));
  }

  /** Follows the state of the node, and what it suspects. */
  #look(): void {
    if (this.#closed) return;
    const { tags, context } = this.node.state;
    const suspected = this.#suspected;
    const isBack = [...this.#missed].some((id) => !suspected.has(id));
    this.#missed = suspected;
    const lost = this.#reasonToLose(suspected.size);
    if (this.#held && lost) this.#lose(lost);
    if (!this.#reasonToLose(suspected.size)) this.#held ??= leadershipOf(this.id, this.term);
    const id = tags.has('decided') && typeof context.leader === 'string' ? context.leader : undefined;
    const known = id === undefined || (id === this.id && !this.#held) ? undefined : { id, term: this.term };
    this.#tell(known && (this.#held ? { ...known, leadership: publicOf(this.#held) } : known));
    if (isBack) this.#command(abandonment);
    for (const doubted of this.#doubted) if (!suspected.has(doubted)) this.#doubted.delete(doubted);
    if (id === undefined || !suspected.has(id) || this.#doubted.has(id)) return;
    this.#doubted.add(id); // once: it may be elected again while it is suspected
    this.#command(elect);
  }

  /** Why this node leads no longer, or cannot lead. */
  #reasonToLose(suspected: number): LostReason | undefined {
    const isLater = this.#held !== undefined && this.#held.term !== this.term;
    if (isLater || !this.node.state.tags.has('leader')) return 'later-term';
    if (this.term <= this.#resigned) return 'resigned';
    return this.size.most - suspected < this.size.least ? 'no-contact' : undefined;
  }

  #tell(leader: Leader | undefined): void {
    const before = this.leader;
    if (before?.id === leader?.id && before?.term === leader?.term && before?.leadership?.signal === leader?.leadership?.signal) return;
    this.#leaders.next(leader);
    if (leader) this.#waits.grantAll(leader);
  }

  #lose(reason: LostReason): void {
    const held = this.#held;
    this.#held = undefined;
    held?.end(reason);
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#lose('closed');
    this.#leaders.next(undefined);
    this.#leaders.complete();
    this.#waits.refuseAll(this.#isClosed());
  }

  #isClosed(): ConclaveError {
    return new ConclaveError('closed', `The election of node ${this.id} is closed`);
  }

  #isAborted(signal: AbortSignal): ConclaveError {
    return new ConclaveError('aborted', `Node ${this.id} stopped waiting for a leader: its signal was aborted`, '', {
      cause: signal.reason,
    });
  }

  #isLate(waitFor: number, since: number): ConclaveError {
    const late = `Node ${this.id} knows no leader of term ${this.term} after ${waitFor} ms`;
    const names = [...this.#suspected].join(', ');
    const suspects = {
      why: `it suspects ${names}`,
      cure: `Start ${names} again, or check on the page of ${this.title} whether it elects a leader without crashed nodes, as bully does.`,
    };
    return this.delays.timedOut(this.node, late, since, names === '' ? {} : suspects);
  }
}
