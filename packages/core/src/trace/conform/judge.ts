import { answerOf, numberFrom } from '../../protocol/answer.js';
import { systemViewOf } from '../../protocol/check-properties.js';
import { labelOf, NodeHistory } from '../../protocol/history.js';
import { Tags } from '../../protocol/names.js';
import type { Json, Message, NodeId } from '../../protocol/node.js';
import { causeOf, nodeStep } from '../../protocol/node-step.js';
import type { AtMost, Cause, Increases, InFlight, NodeView, Property, SystemView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { HostEffect, LocalState } from '../../protocol/step.js';
import type { Topology } from '../../topology/topology.js';
import type { Repeated } from './replayed-node.js';

/** How far a property was checked. */
export type Extent = 'every consistent cut' | 'one causal order' | 'each step' | 'not checked';

/** What was found about a property. */
export interface JudgedProperty {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly extent: Extent;
  readonly violated: boolean;
  /** Why it was not checked, or not on every cut. */
  readonly note?: string;
}

/** The messages in flight, and whether one of them may have been lost. */
export interface InFlightNow {
  readonly messages: readonly InFlight[];
  readonly isUncertain: boolean;
}

/** Asks properties about systems that journals tell. */
export class Judge {
  /** By property: why it could not be judged everywhere. */
  readonly notes = new Map<Property, string>();
  readonly ofStates: readonly StateProperty[];
  readonly #tags = new WeakMap<readonly string[], Tags>();
  /** Whether the property that was asked looked at messages that may be lost. */
  #sawUncertain = false;

  constructor(
    readonly protocol: Protocol,
    properties: readonly Property[],
  ) {
    this.ofStates = properties.filter((property): property is StateProperty => property.kind === 'always' || property.kind === 'never');
  }

  /** A node as properties see it. */
  view(id: NodeId, role: string, { value, context, tags }: LocalState, crashed: boolean, history: Json | undefined): NodeView {
    let known = this.#tags.get(tags);
    if (!known) {
      known = new Tags(this.protocol, tags);
      this.#tags.set(tags, known);
    }
    const seen = { id, role, value, context, tags: crashed ? new Tags(this.protocol, []) : known, crashed };
    return Object.freeze(history === undefined ? seen : { ...seen, history });
  }

  system(nodes: readonly NodeView[], inFlight: () => InFlightNow): SystemView {
    return systemViewOf(this.protocol, nodes, () => {
      const { messages, isUncertain } = inFlight();
      this.#sawUncertain ||= isUncertain;
      return messages;
    });
  }

  /** Whether `property` holds; where it depends on messages that may be lost, it counts as holding. */
  holds(property: StateProperty, system: SystemView): boolean {
    this.#sawUncertain = false;
    const answer = answerOf(property, property.holds, system) === (property.kind === 'always');
    if (answer || !this.#sawUncertain) return answer;
    this.notes.set(property, 'not judged where it counts messages in flight that may be lost');
    return true;
  }
}

export type StateProperty = Extract<Property, { readonly kind: 'always' | 'never' }>;

/** The number that `property` reads from a node. */
export const numberOf = (property: Increases, node: NodeView): number | undefined =>
  node.crashed ? undefined : numberFrom(property, node);

/** Judges one causal order, step by step. */
export class OrderJudge {
  readonly views: NodeView[];
  /** By place of a node. */
  readonly #histories: (NodeHistory | undefined)[];
  readonly #recorded: (Json | undefined)[];
  readonly #tallies = new Map<AtMost, { commands: number; messages: number }>();
  readonly #numbers = new Map<Increases, { largest: number; readonly last: (number | undefined)[] }>();
  readonly #violated = new Set<Property>();
  #began = false;
  #isHistoryKnown = true;

  constructor(
    private readonly judge: Judge,
    topology: Topology,
    private readonly properties: readonly Property[],
    views: readonly NodeView[],
    private readonly inFlight: () => InFlightNow,
    private readonly complain: (property: Property) => void,
    /** Whether states of several nodes are judged here. */
    private readonly judgesStates: boolean,
  ) {
    this.views = [...views];
    const { protocol } = judge;
    this.#histories = topology.nodes.map((id) => NodeHistory.of(protocol, topology, id));
    this.#recorded = this.#histories.map((history) => history?.initial());
    for (const property of properties) {
      if (property.kind === 'atMost') this.#tallies.set(property, { commands: 0, messages: 0 });
      if (property.kind === 'increases') this.#numbers.set(property, { largest: -Infinity, last: topology.nodes.map(() => undefined) });
    }
  }

  get violated(): ReadonlySet<Property> {
    return this.#violated;
  }

  /** Whether histories could be kept: not where a message arrived that nobody is known to have sent. */
  get isHistoryKnown(): boolean {
    return this.#isHistoryKnown;
  }

  /** All nodes have started. */
  begin(): void {
    this.#began = true;
    for (const [property, numbers] of this.#numbers)
      for (const [place, view] of this.views.entries()) {
        const number = numberOf(property, view);
        numbers.last[place] = number; // the first numbers have no order
        numbers.largest = Math.max(numbers.largest, number ?? -Infinity);
      }
    this.#look();
  }

  /** Judges a step, and returns the messages that it sends, as histories label them. */
  step(place: number, { stimulus, before, state, effects }: Repeated, received: Message | undefined): readonly Message[] {
    const cause = before && causeOf(stimulus);
    const view = this.views[place] as NodeView; // of this place
    const { id, role } = view;
    if (cause) this.#remember(place, this.judge.view(id, role, state, false, undefined), cause, effects, received);
    const recorded = this.#recorded[place];
    const now = this.judge.view(id, role, state, false, recorded);
    this.views[place] = now;
    if (cause) this.#judgeStep(view, now, cause, effects);
    const sent = effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
    for (const [property, tally] of this.#tallies) {
      if (cause?.kind === 'command' && cause.command.type === property.per) tally.commands++;
      for (const { type } of sent) if (!property.of || property.of.includes(type)) tally.messages++;
      if (tally.messages > property.most * tally.commands) this.#violate(property);
    }
    const history = this.#histories[place];
    return history && recorded !== undefined && this.#isHistoryKnown ? sent.map((message) => history.labelled(message, recorded)) : sent;
  }

  /** Judges the system after a step, once its messages are in flight. */
  settled(place: number): void {
    if (!this.#began || !this.#isHistoryKnown) return;
    this.#look();
    for (const [property, numbers] of this.#numbers) {
      const number = numberOf(property, this.views[place] as NodeView); // of this place
      if (number !== undefined && number !== numbers.last[place]) {
        if (!(number > numbers.largest)) this.#violate(property);
        numbers.largest = Math.max(numbers.largest, number);
      }
      numbers.last[place] = number;
    }
  }

  crash(place: number, state: LocalState): void {
    const { id, role } = this.views[place] as NodeView; // of this place
    this.views[place] = this.judge.view(id, role, state, true, this.#recorded[place]);
    this.settled(place);
  }

  #judgeStep(before: NodeView, after: NodeView, cause: Cause, effects: readonly HostEffect[]): void {
    if (!this.#isHistoryKnown) return;
    for (const property of this.properties)
      if (property.kind === 'everyStep' && !answerOf(property, property.allows, nodeStep(before, after, cause, effects)))
        this.#violate(property);
  }

  /** Keeps the history of a node. */
  #remember(place: number, after: NodeView, cause: Cause, effects: readonly HostEffect[], received: Message | undefined): void {
    const history = this.#histories[place];
    const recorded = this.#recorded[place];
    if (!history || recorded === undefined || !this.#isHistoryKnown) return;
    if (cause.kind === 'message' && !received) {
      this.#isHistoryKnown = false;
      return;
    }
    const label = received && labelOf(received);
    const step = nodeStep(this.views[place] as NodeView, after, cause, effects); // of this place
    this.#recorded[place] = history.after(recorded, label === undefined ? step : { ...step, label });
  }

  #look(): void {
    if (!this.judgesStates) return;
    const system = this.judge.system(this.views, this.inFlight);
    for (const property of this.judge.ofStates)
      if (!this.#violated.has(property) && !this.judge.holds(property, system)) this.#violate(property);
  }

  #violate(property: Property): void {
    if (this.#violated.has(property)) return;
    this.#violated.add(property);
    this.complain(property);
  }
}
