import type { NodeId } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import type { CutEvent, CutRun } from './cuts.js';
import type { Sent } from './links.js';
import type { NodeJournals, RunJournals } from './node-journals.js';
import type { OrderJudge } from './order-judge.js';

/** The event of a node, by its place and number, which happened before another one. */
type Cause = readonly [place: number, event: number];

/** What happened at each node, with what happened before it. */
export class Events {
  /** How many steps were taken. */
  steps = 0;
  /** By place: how many events. */
  readonly #counts: number[];
  /** By place, for cuts; undefined where there are too many. */
  #events: CutEvent[][] | undefined;
  #messages: CutRun['messages'][number][] = [];

  /** @param most runs with more steps are judged in one causal order only */
  constructor(
    private readonly nodes: RunJournals,
    private readonly order: OrderJudge,
    private readonly most: number,
  ) {
    this.#counts = nodes.all.map(() => 0);
    this.#events = most > 0 ? nodes.all.map(() => []) : undefined;
  }

  /** For cuts; undefined where there are too many events. */
  get run(): Omit<CutRun, 'isUncertain'> | undefined {
    return this.#events && { events: this.#events, messages: this.#messages };
  }

  /**
   * The number of the event that a step is part of. `wasOpen`: it answers a choice.
   * `received`: its message, where its sending is known; otherwise `from` is its sender.
   */
  step(
    node: NodeJournals,
    line: number,
    wasOpen: boolean,
    received: Sent | undefined,
    from: NodeId | undefined,
  ): number {
    const { place } = node;
    if (wasOpen) {
      const event = this.#events?.[place]?.at(-1);
      if (event) event.view = this.#view(place);
      return (this.#counts[place] ?? 0) - 1;
    }
    const causes: readonly Cause[] = received
      ? [[this.nodes.placeOf(received.from), received.event]]
      : from === undefined
        ? []
        : endsBefore(this.nodes.of(from));
    return this.#push(place, causes, { line, file: node.reader?.name ?? '' });
  }

  sent(sent: Sent): void {
    if (!this.#events) return;
    const [from, to] = [this.nodes.placeOf(sent.from), this.nodes.placeOf(sent.to)];
    this.#messages.push({ sent, from, to });
  }

  /**
   * The end of an incarnation, where something comes after it: a restart, a report of the crash, a
   * message of the part that is missing.
   */
  end(node: NodeJournals, incarnation: number): void {
    const ended = node.ended.get(incarnation);
    if (!ended || ended.event !== undefined || !node.node.state) return;
    const { line, name: file } = ended.reader;
    ended.event = this.#counts[node.place] ?? 0;
    this.order.crash(node.place, node.node.state);
    this.#push(node.place, [], { line, file });
  }

  #view(place: number): NodeView {
    return this.order.nodes[place] as NodeView; // of this place
  }

  #push(place: number, causes: readonly Cause[], where: Pick<CutEvent, 'line' | 'file'>): number {
    const number = this.#counts[place] ?? 0;
    this.#counts[place] = number + 1;
    const events = this.#events;
    if (!events) return number;
    const before = events[place] ?? [];
    const clock = before.at(-1)?.clock.slice() ?? new Int32Array(this.#counts.length);
    for (const [other, event] of causes)
      for (const [index, count] of (events[other]?.[event]?.clock ?? []).entries())
        clock[index] = Math.max(clock[index] ?? 0, count);
    clock[place] = number + 1;
    before.push({ view: this.#view(place), clock, ...where });
    if (this.steps > this.most) {
      this.#events = undefined;
      this.#messages = [];
    }
    return number;
  }
}

/** The end of the sender that a receipt without a known sending comes after. */
function endsBefore({ place, ended }: NodeJournals): readonly Cause[] {
  const last = [...ended.values()].findLast(({ event }) => event !== undefined);
  return last?.event === undefined ? [] : [[place, last.event]];
}
