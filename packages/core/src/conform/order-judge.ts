import { Judge, trackerOf } from '../judge/judge.js';
import { viewOfNode } from '../protocol/check-properties.js';
import type { Message } from '../protocol/node.js';
import { causeOf, nodeStep } from '../protocol/node-step.js';
import type { NodeView, Property, SystemView } from '../protocol/property.js';
import type { LocalState } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import { CausalIncrease } from './causal-increase.js';
import { Histories } from './histories.js';
import type { InFlightNow, JournalViews } from './journal-views.js';
import type { Repeated } from './replayed-node.js';

/** What an order is judged by. */
export interface OrderOptions {
  readonly views: JournalViews;
  readonly topology: Topology;
  readonly properties: readonly Property[];
  /** The nodes before their start. */
  readonly nodes: readonly NodeView[];
  readonly inFlight: () => InFlightNow;
  readonly complain: (property: Property) => void;
  /**
   * Whether the protocol relies on time: then an order tells nothing of steps that do not depend on
   * each other.
   */
  readonly isTimed: boolean;
}

/** Judges one causal order, step by step. */
export class OrderJudge {
  readonly nodes: NodeView[];
  readonly violated = new Set<Property>();
  readonly #histories: Histories;
  readonly #causal: readonly CausalIncrease[];
  /** Of messages: they are counted also where histories are not known any more. */
  readonly #bounds: Judge;
  readonly #judge: Judge;
  #began = false;

  constructor(private readonly options: OrderOptions) {
    const { views, topology, properties, nodes, complain, isTimed } = options;
    const { protocol } = views;
    this.nodes = [...nodes];
    this.#histories = new Histories(protocol, topology);
    const violate = (property: Property) => {
      this.violated.add(property);
      complain(property);
    };
    const tracked = (kind: Property['kind']) =>
      properties.flatMap((property) =>
        property.kind === kind ? trackerOf(property, protocol) : [],
      );
    this.#causal = isTimed
      ? properties.flatMap((property) =>
          property.kind === 'increases' ? new CausalIncrease(property) : [],
        )
      : [];
    this.#bounds = new Judge(tracked('atMost'), violate);
    this.#judge = new Judge(
      [
        ...tracked('everyStep'),
        ...(isTimed ? this.#causal : [...tracked('increases'), ...views.invariants(properties)]),
      ],
      violate,
    );
  }

  /**
   * Why histories, which properties read, are not known to the end; undefined where they are, or
   * where the protocol has none.
   */
  get forgot(): string | undefined {
    return this.#histories.forgot;
  }

  /** All nodes have started. */
  begin(): void {
    this.#began = true;
    if (this.forgot === undefined) this.#judge.begin(this.#system);
  }

  /** Judges a step, and returns the messages that it sends, as histories label them. */
  step(
    place: number,
    { stimulus, before, state, effects }: Repeated,
    received: Message | undefined,
  ): readonly Message[] {
    const { protocol } = this.options.views;
    this.#histories.count(place);
    const earlier = this.nodes[place] as NodeView; // of this place
    const { id, role } = earlier;
    const cause = before && causeOf(stimulus);
    if (cause) {
      const plain = viewOfNode(protocol, id, role, { ...state, recorded: undefined });
      this.#histories.record(place, nodeStep(earlier, plain, cause, effects), received);
    }
    const after = this.#update(place, state, false);
    if (cause && this.forgot === undefined)
      this.#judge.stepped(nodeStep(earlier, after, cause, effects));
    if (cause?.kind === 'command') this.#bounds.commanded(cause.command.type);
    const sent = effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
    for (const { type } of sent) this.#bounds.sent(type);
    if (this.#bounds.followsSystem) this.#bounds.look(this.#system);
    return sent.map((message) => this.#histories.labelled(place, message));
  }

  /** Judges a node after a step. */
  settled(place: number): void {
    if (this.#began && this.forgot === undefined)
      this.#judge.changed(this.nodes[place] as NodeView); // of this place
  }

  /** The largest numbers in the past of a message that is sent now, by property. */
  past(place: number): readonly number[] {
    return this.#causal.map((tracker) => tracker.pastOf(this.#id(place)));
  }

  /** The step comes after one with these numbers. */
  follows(place: number, past: readonly number[]): void {
    for (const [index, tracker] of this.#causal.entries())
      tracker.follows(this.#id(place), past[index] ?? -Infinity);
  }

  crash(place: number, state: LocalState): void {
    this.#update(place, state, true);
    this.settled(place);
    this.look();
  }

  /** Judges the system, once the messages of a step are in flight. */
  look(): void {
    if (this.#began && this.forgot === undefined && this.#judge.followsSystem)
      this.#judge.look(this.#system);
  }

  #update(place: number, state: LocalState, crashed: boolean): NodeView {
    const { id, role } = this.nodes[place] as NodeView; // of this place
    const recorded = this.#histories.of(place);
    const node = viewOfNode(this.options.views.protocol, id, role, { ...state, recorded }, crashed);
    this.nodes[place] = node;
    return node;
  }

  get #system(): SystemView {
    const { views, inFlight } = this.options;
    return views.system(this.nodes, inFlight);
  }

  #id(place: number) {
    return this.options.topology.nodes[place] as string; // of this place
  }
}
