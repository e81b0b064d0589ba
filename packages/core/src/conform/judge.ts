import { answerOf, numberFrom } from '../protocol/answer.js';
import { systemViewOf } from '../protocol/check-properties.js';
import { labelOf, NodeHistory } from '../protocol/history.js';
import { Tags } from '../protocol/names.js';
import type { Json, Message, NodeId } from '../protocol/node.js';
import { causeOf, nodeStep } from '../protocol/node-step.js';
import type {
  AtMost,
  Cause,
  Increases,
  InFlight,
  NodeView,
  Property,
  SystemView,
} from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { HostEffect, LocalState } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import type { Repeated } from './replayed-node.js';

/** How far a property was checked. */
export type Extent =
  | 'every consistent cut'
  | 'one causal order'
  | 'the causal past of each step'
  | 'each step'
  | 'not checked';

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
    this.ofStates = properties.filter(
      (property): property is StateProperty =>
        property.kind === 'always' || property.kind === 'never',
    );
  }

  /** A node as properties see it. */
  view(
    id: NodeId,
    role: string,
    { value, context, tags }: LocalState,
    crashed: boolean,
    history: Json | undefined,
  ): NodeView {
    let known = this.#tags.get(tags);
    if (!known) {
      known = new Tags(this.protocol, tags);
      this.#tags.set(tags, known);
    }
    const seen = {
      id,
      role,
      value,
      context,
      tags: crashed ? new Tags(this.protocol, []) : known,
      crashed,
    };
    return Object.freeze(history === undefined ? seen : { ...seen, history });
  }

  system(nodes: readonly NodeView[], inFlight: () => InFlightNow): SystemView {
    return systemViewOf(this.protocol, nodes, () => {
      const { messages, isUncertain } = inFlight();
      this.#sawUncertain ||= isUncertain;
      return messages;
    });
  }

  /**
   * Whether `property` holds; where it depends on messages that may be lost, it counts as holding.
   */
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

/**
 * What an `increases` compares. By place of a node: the largest number in its past, and its own
 * last one.
 */
interface Numbers {
  readonly past: number[];
  readonly last: (number | undefined)[];
}

/** Histories grow, and properties of them take longer with each step. */
const longestHistory = 500;

/** Judges one causal order, step by step. */
export class OrderJudge {
  readonly views: NodeView[];
  /** By place of a node. */
  readonly #histories: (NodeHistory | undefined)[];
  readonly #recorded: (Json | undefined)[];
  readonly #tallies = new Map<AtMost, { commands: number; messages: number }>();
  readonly #numbers = new Map<Increases, Numbers>();
  readonly #violated = new Set<Property>();
  #began = false;
  #steps = 0;
  /** Why histories are not kept any more. */
  #forgot: string | undefined;

  constructor(
    private readonly judge: Judge,
    topology: Topology,
    private readonly properties: readonly Property[],
    views: readonly NodeView[],
    private readonly inFlight: () => InFlightNow,
    private readonly complain: (property: Property) => void,
    /**
     * Whether the protocol relies on time: then an order tells nothing of steps that do not depend
     * on each other.
     */
    private readonly isTimed: boolean,
  ) {
    this.views = [...views];
    const { protocol } = judge;
    this.#histories = topology.nodes.map((id) => NodeHistory.of(protocol, topology, id));
    this.#recorded = this.#histories.map((history) => history?.initial());
    for (const property of properties) {
      if (property.kind === 'atMost') this.#tallies.set(property, { commands: 0, messages: 0 });
      if (property.kind !== 'increases') continue;
      const none = topology.nodes.map(() => -Infinity);
      this.#numbers.set(property, { past: none, last: topology.nodes.map(() => undefined) });
    }
  }

  get violated(): ReadonlySet<Property> {
    return this.#violated;
  }

  /**
   * Why histories, which properties read, are not known to the end; undefined where they are, or
   * where the protocol has none.
   */
  get forgot(): string | undefined {
    return this.#forgot;
  }

  /** All nodes have started. */
  begin(): void {
    this.#began = true;
    for (const [property, numbers] of this.#numbers)
      for (const [place, view] of this.views.entries()) {
        const number = numberOf(property, view);
        numbers.last[place] = number; // the first numbers have no order
        this.#had(numbers, place, number);
      }
    this.look();
  }

  /** Judges a step, and returns the messages that it sends, as histories label them. */
  step(
    place: number,
    { stimulus, before, state, effects }: Repeated,
    received: Message | undefined,
  ): readonly Message[] {
    if (++this.#steps > longestHistory && this.#histories[place])
      this.#forgot ??= `histories are kept for ${longestHistory} steps`;
    const cause = before && causeOf(stimulus);
    const view = this.views[place] as NodeView; // of this place
    const { id, role } = view;
    if (cause)
      this.#remember(
        place,
        this.judge.view(id, role, state, false, undefined),
        cause,
        effects,
        received,
      );
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
    return history && recorded !== undefined && !this.#forgot
      ? sent.map((message) => history.labelled(message, recorded))
      : sent;
  }

  /** Judges the numbers of a node after a step. */
  settled(place: number): void {
    if (!this.#began || this.#forgot !== undefined) return;
    for (const [property, numbers] of this.#numbers) {
      const number = numberOf(property, this.views[place] as NodeView); // of this place
      if (number !== undefined && number !== numbers.last[place]) {
        if (!(number > (numbers.past[place] ?? 0))) this.#violate(property);
        this.#had(numbers, place, number);
      }
      numbers.last[place] = number;
    }
  }

  /** The largest numbers in the past of a message that is sent now, by property. */
  past(place: number): readonly number[] {
    return [...this.#numbers.values()].map(({ past }) => past[place] ?? -Infinity);
  }

  /** The step comes after one with these numbers. */
  follows(place: number, past: readonly number[]): void {
    for (const [index, numbers] of [...this.#numbers.values()].entries())
      numbers.past[place] = Math.max(numbers.past[place] ?? -Infinity, past[index] ?? -Infinity);
  }

  /**
   * In an order, a number is in the past of all steps that follow; by causes, only of those that
   * depend on it.
   */
  #had({ past }: Numbers, place: number, number = -Infinity): void {
    for (const other of past.keys())
      if (!this.isTimed || other === place)
        past[other] = Math.max(past[other] ?? -Infinity, number);
  }

  crash(place: number, state: LocalState): void {
    const { id, role } = this.views[place] as NodeView; // of this place
    this.views[place] = this.judge.view(id, role, state, true, this.#recorded[place]);
    this.settled(place);
    this.look();
  }

  #judgeStep(
    before: NodeView,
    after: NodeView,
    cause: Cause,
    effects: readonly HostEffect[],
  ): void {
    if (this.#forgot !== undefined) return;
    for (const property of this.properties)
      if (
        property.kind === 'everyStep' &&
        !answerOf(property, property.allows, nodeStep(before, after, cause, effects))
      )
        this.#violate(property);
  }

  /** Keeps the history of a node. */
  #remember(
    place: number,
    after: NodeView,
    cause: Cause,
    effects: readonly HostEffect[],
    received: Message | undefined,
  ): void {
    const history = this.#histories[place];
    const recorded = this.#recorded[place];
    if (!history || recorded === undefined || this.#forgot !== undefined) return;
    if (cause.kind === 'message' && !received) {
      this.#forgot = 'a message arrived whose sending, and so its past, is not known';
      return;
    }
    const label = received && labelOf(received);
    const step = nodeStep(this.views[place] as NodeView, after, cause, effects); // of this place
    this.#recorded[place] = history.after(
      recorded,
      label === undefined ? step : { ...step, label },
    );
  }

  /** Judges the system, once the messages of a step are in flight. */
  look(): void {
    if (this.isTimed || !this.#began || this.#forgot !== undefined) return;
    const system = this.judge.system(this.views, this.inFlight);
    for (const property of this.judge.ofStates)
      if (!this.#violated.has(property) && !this.judge.holds(property, system))
        this.#violate(property);
  }

  #violate(property: Property): void {
    if (this.#violated.has(property)) return;
    this.#violated.add(property);
    this.complain(property);
  }
}
