import { termOf } from '@conclave/algorithms/internal/coordination';
import type { Embedded } from '@conclave/core/embedding';
import {
  type Command,
  ConclaveError,
  type NodeId,
  type NodeView,
  type Protocol,
} from '@conclave/core/protocol';
import type { Delays, Health } from '../health.js';
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

const elect: Command = { type: 'elect' };
const abandonment: Command = { type: 'abandon' };

/**
 * The nodes that a node suspects: by its own failure detector, or by the one that is a part of it.
 */
function suspectedBy({ context }: NodeView): readonly unknown[] {
  const { suspected, detector } = context;
  return [suspected, Object(detector).suspected].flat().filter((id) => typeof id === 'string');
}

export class NodeElection extends SharedElection {
  #held: Held | undefined;
  /** The latest term in which this node has given up its leadership. */
  #resigned = -1;
  /** The nodes that this node suspects, and against whom as leaders it has started an election. */
  readonly #doubted = new Set<NodeId>();
  /** The nodes that this node suspected when it last looked. */
  #missed: ReadonlySet<unknown> = new Set();
  /** Whether this node was told to elect before its peers had admitted it. */
  #isDue = false;
  /** The last error of its parts, which may be why one of them stops. */
  #heard: ConclaveError | undefined;

  constructor(
    private readonly protocol: Protocol,
    private readonly title: string,
    private readonly node: Embedded,
    private readonly watch: Embedded | undefined,
    /**
     * How many nodes there are, and with how many of them, itself included, a leader must have
     * contact.
     */
    private readonly size: { readonly most: number; readonly least: number },
    clock: Timers,
    private readonly delays: Delays,
    private readonly report: (error: ConclaveError) => void,
  ) {
    super(node.id, clock, delays, (waitFor, since) => this.#isLate(waitFor, since));
    for (const part of [node, watch])
      part?.state$.subscribe({ next: () => this.#look(), complete: () => this.#stop() });
    const begin = () => {
      if (this.#isDue && this.isAwaited) this.#command(elect);
    };
    node.admitted.then(begin, () => {}); // #stop tells of a refusal
  }

  get term(): number {
    return termOf(this.node.state);
  }

  get health(): Health {
    return this.delays.health(this.node, this.ended !== undefined, this.ended);
  }

  get stable(): Election['stable'] {
    return stableOf(this.protocol, this.node.state);
  }

  /** A part has reported this error, which may be why it stops. */
  heard(error: ConclaveError): void {
    this.#heard = error;
  }

  resign(): void {
    if (!this.#held) return;
    this.#resigned = this.#held.term;
    this.#look();
    this.#command(elect);
  }

  protected start(abandon: boolean): void {
    this.#isDue = !this.node.takes(elect);
    this.#command(abandon ? abandonment : elect);
  }

  protected lose(reason: LostReason = 'closed'): void {
    const held = this.#held;
    this.#held = undefined;
    held?.end(reason);
  }

  protected async closeNode(): Promise<void> {
    await Promise.all([this.watch?.close(), this.node.close()]);
  }

  /** A part has ended by itself, or is refused by its peers: the other one ends with it. */
  #stop(): void {
    this.end(this.node.refusal, this.#heard);
    void this.close();
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
    if (this.ended) return;
    const { tags, context } = this.node.state;
    const suspected = this.#suspected;
    const isBack = [...this.#missed].some((id) => !suspected.has(id));
    this.#missed = suspected;
    const lost = this.#reasonToLose(suspected.size);
    if (this.#held && lost) this.lose(lost);
    if (!this.#reasonToLose(suspected.size)) this.#held ??= leadershipOf(this.id, this.term);
    const id =
      tags.has('decided') && typeof context.leader === 'string' ? context.leader : undefined;
    const known =
      id === undefined || (id === this.id && !this.#held) ? undefined : { id, term: this.term };
    this.tell(known && (this.#held ? { ...known, leadership: publicOf(this.#held) } : known));
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
