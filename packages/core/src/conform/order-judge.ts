import { Judge, trackerOf } from '../judge/judge.js';
import { viewOfNode } from '../protocol/check-properties.js';
import type { Message, NodeId } from '../protocol/node.js';
import { causeOf, nodeStep } from '../protocol/node-step.js';
import type { NodeView, Property, SystemView } from '../protocol/property.js';
import type { LocalState } from '../protocol/step.js';
import { CausalIncrease } from './causal-increase.js';
import type { ComparedRun } from './compared-run.js';
import { Histories } from './histories.js';
import type { Repeated } from './replayed-node.js';

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

  constructor(private readonly run: ComparedRun) {
    const { protocol, topology, properties, views, isTimed } = run;
    // before they start
    this.nodes = run.nodes.all.map(({ id, node }) =>
      viewOfNode(protocol, id, node.role.name, node.firstState(), undefined, true),
    );
    this.#histories = new Histories(protocol, topology);
    const violate = (property: Property) => {
      this.violated.add(property);
      run.violated(property, 'after this step');
    };
    const tracked = (kind: Property['kind']) =>
      properties.flatMap((property) =>
        property.kind === kind ? trackerOf(property, protocol) : [],
      );
    // what relies on time is judged by causes: an order tells nothing of independent steps
    this.#causal = properties.flatMap((property) =>
      isTimed && property.kind === 'increases' ? new CausalIncrease(property) : [],
    );
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
    const { protocol } = this.run;
    this.#histories.count(place);
    const earlier = this.nodes[place] as NodeView; // of this place
    const { id, role } = earlier;
    const cause = before && causeOf(stimulus);
    if (cause) {
      const plain = viewOfNode(protocol, id, role, state, undefined);
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
    const node = viewOfNode(this.run.protocol, id, role, state, recorded, crashed);
    this.nodes[place] = node;
    return node;
  }

  get #system(): SystemView {
    return this.run.views.system(this.nodes, () => this.run.flying);
  }

  #id(place: number): NodeId {
    return this.run.topology.nodes[place] as NodeId; // of this place
  }
}
