import type { NodeId, NodeView } from '@conclave/core/protocol';
import type { ComparedRun } from './compared-run.js';
import type { CutEvent, CutRun } from './cuts.js';
import type { Sent } from './links.js';
import type { NodeJournals } from './node-journals.js';
import type { OrderJudge } from './order-judge.js';

/** Runs with more steps are judged in one causal order only. */
const mostEvents = 20_000;
/** With a history: properties of histories take long. */
const mostWithHistory = 60;

/** The event of a node, by its place and number, which happened before another one. */
type Cause = readonly [place: number, event: number];

/** What happened at each node, with what happened before it. */
export class Events {
  /** By place: how many events. */
  readonly #counts: number[];
  /** By place, for cuts; undefined where there are too many. */
  #events: CutEvent[][] | undefined;
  #messages: CutRun['messages'][number][] = [];

  constructor(
    private readonly run: ComparedRun,
    private readonly order: OrderJudge,
  ) {
    const { all } = run.nodes;
    this.#counts = all.map(() => 0);
    this.#events = run.mostCuts > 0 ? all.map(() => []) : undefined;
  }

  /** For cuts; undefined where there are too many events. */
  get all(): CutRun | undefined {
    if (!this.#events) return undefined;
    return {
      events: this.#events,
      messages: this.#messages,
      isUncertain: this.run.isUncertain,
    };
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
      ? [[this.run.nodes.placeOf(received.from), received.event]]
      : from === undefined
        ? []
        : endsBefore(this.run.nodes.of(from));
    return this.#push(place, causes, { line, file: node.reader?.name ?? '' });
  }

  sent(sent: Sent): void {
    if (!this.#events) return;
    const [from, to] = [this.run.nodes.placeOf(sent.from), this.run.nodes.placeOf(sent.to)];
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
    if (this.run.steps > (this.run.protocol.history ? mostWithHistory : mostEvents)) {
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
