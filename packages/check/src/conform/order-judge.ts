import { causeOf, labelOf, NodeHistory, nodeStep, viewOfNode } from '@conclave/core/internal';
import { Increase, Judge, trackerOf } from '@conclave/core/internal/judge';
import type {
  Json,
  LocalState,
  Message,
  NodeId,
  NodeStep,
  NodeView,
  Property,
  Protocol,
  SystemView,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { ComparedRun } from './compared-run.js';
import type { Repeated } from './node-journals.js';

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

/** Histories grow, and properties of them take longer with each step. */
const longest = 500;

/** The history variables of the nodes, by place; none where the protocol has none. */
class Histories {
  readonly #histories: readonly (NodeHistory | undefined)[];
  readonly #recorded: (Json | undefined)[];
  #steps = 0;
  /** Why they are not known from here on; undefined where they are, or where there are none. */
  forgot: string | undefined;

  constructor(protocol: Protocol, topology: Topology) {
    this.#histories = topology.nodes.map((id) => NodeHistory.of(protocol, topology, id));
    this.#recorded = this.#histories.map((history) => history?.initial());
  }

  of(place: number): Json | undefined {
    return this.#recorded[place];
  }

  /** Counts a step of a node. */
  count(place: number): void {
    if (++this.#steps > longest && this.#histories[place])
      this.forgot ??= `histories are kept for ${longest} steps`;
  }

  /** Keeps what a node remembers of a step. `received`: the message, as it was sent. */
  record(place: number, step: NodeStep, received: Message | undefined): void {
    const history = this.#histories[place];
    const recorded = this.#recorded[place];
    if (!history || recorded === undefined || this.forgot !== undefined) return;
    if (step.cause.kind === 'message' && !received) {
      this.forgot = 'a message arrived whose sending, and so its past, is not known';
      return;
    }
    const label = received && labelOf(received);
    this.#recorded[place] = history.after(
      recorded,
      label === undefined ? step : { ...step, label },
    );
  }

  /** A message that a node sends now, as its history labels it. */
  labelled(place: number, message: Message): Message {
    const history = this.#histories[place];
    const recorded = this.#recorded[place];
    return history && recorded !== undefined && this.forgot === undefined
      ? history.labelled(message, recorded)
      : message;
  }
}

/**
 * `increases` where an order tells nothing of steps that do not depend on each other: a number is
 * earlier than those steps only that follow from its own.
 */
class CausalIncrease extends Increase {
  readonly #past = new Map<NodeId, number>();

  /** The largest number in the past of a node. */
  pastOf(id: NodeId): number {
    return this.#past.get(id) ?? -Infinity;
  }

  /** What a node does from now on follows a step with this number in its past. */
  follows(id: NodeId, number: number): void {
    this.#past.set(id, Math.max(this.pastOf(id), number));
  }

  protected override largestBefore(id: NodeId): number {
    return this.pastOf(id);
  }

  protected override record(id: NodeId, number: number): void {
    this.follows(id, number);
  }
}
