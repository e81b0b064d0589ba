import { answerOf, numberFrom } from '../protocol/answer.js';
import { Tags } from '../protocol/names.js';
import type { Json } from '../protocol/node.js';
import { causeOf, nodeStep } from '../protocol/node-step.js';
import type {
  AtMost,
  EveryStep,
  Increases,
  NodeView,
  Property,
  SystemView,
  Verdict,
} from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { NodeState, TakenStep } from './network.js';
import { OvertakingMonitor } from './overtaking.js';

export interface PropertyReport {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly verdict: Verdict;
}

/** What an `atMost` counts. */
interface Tally {
  commands: number;
  messages: number;
}

/** What an `increases` compares. */
interface Numbers {
  largest: number;
  readonly last: Map<NodeView, number | undefined>;
}

/** Watches the properties of a protocol during one run. */
export class Monitor {
  /** The first property found violated. */
  violated: Property | undefined;
  readonly #reached = new Set<Property>();
  readonly #pending = new Map<Property & { kind: 'leadsTo' }, Set<NodeView>>();
  readonly #tallies = new Map<AtMost, Tally>();
  readonly #numbers = new Map<Increases, Numbers>();
  readonly #overtaking: OvertakingMonitor[] = [];
  readonly #ofSteps: EveryStep[] = [];
  readonly #views = new Map<NodeView, NodeView>();
  readonly #tags = new WeakMap<ReadonlySet<string>, Tags>();
  #began = false;

  constructor(
    private readonly properties: readonly Property[],
    private readonly system: SystemView,
  ) {
    for (const property of properties) {
      if (property.kind === 'leadsTo') this.#pending.set(property, new Set());
      if (property.kind === 'atMost') this.#tallies.set(property, { commands: 0, messages: 0 });
      if (property.kind === 'increases')
        this.#numbers.set(property, { largest: -Infinity, last: new Map() });
      if (property.kind === 'overtaken') this.#overtaking.push(new OvertakingMonitor(property));
      if (property.kind === 'everyStep') this.#ofSteps.push(property);
    }
  }

  /**
   * Begins to check. All nodes must have started: a property of the system may not hold while only
   * some have.
   */
  begin(): void {
    this.#began = true;
    const nodes = this.#remembers ? this.system.nodes : [];
    for (const [property, numbers] of this.#numbers)
      for (const node of nodes) {
        const number = numberOf(property, node);
        numbers.last.set(node, number); // the initial numbers have no order
        numbers.largest = Math.max(numbers.largest, number ?? -Infinity);
      }
    this.look();
    for (const node of nodes) this.#remember(node);
  }

  /** Counts a command, before the messages that it causes. */
  commanded(type: string): void {
    for (const [{ per }, tally] of this.#tallies) if (per === type) tally.commands++;
  }

  /** Counts a message that a node sends. */
  sent(type: string): void {
    for (const [{ of }, tally] of this.#tallies) if (!of || of.includes(type)) tally.messages++;
  }

  /** Whether {@link took} is to be called. */
  get wantsSteps(): boolean {
    return this.#ofSteps.length > 0;
  }

  /** Whether {@link step} is to be called after each step. */
  get wantsStates(): boolean {
    return this.properties.length > this.#ofSteps.length;
  }

  /** Whether properties follow each node by itself. */
  get #remembers(): boolean {
    return this.#pending.size + this.#numbers.size + this.#overtaking.length > 0;
  }

  /** Checks a step itself; a start or restart is none. */
  took(
    protocol: Protocol,
    node: NodeView,
    { stimulus, before, after, past, effects }: TakenStep,
  ): void {
    const cause = before && causeOf(stimulus);
    if (!before || !cause) return;
    const step = nodeStep(
      this.#viewOf(protocol, node, before, past),
      this.#viewOf(protocol, node, after, node.history),
      cause,
      effects,
    );
    for (const property of this.#ofSteps)
      if (!answerOf(property, property.allows, step)) this.violated ??= property;
  }

  /** The view of a node after its last step serves as the one before the next. */
  #viewOf(
    protocol: Protocol,
    node: NodeView,
    { value, context, tags }: NodeState,
    recorded: Json | undefined,
  ): NodeView {
    const last = this.#views.get(node);
    if (last?.value === value && last.context === context && last.history === recorded) return last;
    const { id, role } = node;
    const seen = { id, role, value, context, tags: this.#tagsOf(protocol, tags), crashed: false };
    const view: NodeView = Object.freeze(
      recorded === undefined ? seen : { ...seen, history: recorded },
    );
    this.#views.set(node, view);
    return view;
  }

  /**
   * The tags as a property sees them. Compiled machines have one set for all nodes in one
   * configuration.
   */
  #tagsOf(protocol: Protocol, tags: ReadonlySet<string>): Tags {
    const known = this.#tags.get(tags);
    if (known) return known;
    const made = new Tags(protocol, tags);
    this.#tags.set(tags, made);
    return made;
  }

  /** Checks the system after a step of `node`. */
  step(node: NodeView): void {
    this.look();
    this.#remember(node);
  }

  /** Checks the system after an event that was no step of a node. */
  look(): void {
    if (!this.#began) return;
    for (const property of this.properties) {
      switch (property.kind) {
        case 'always':
          if (!answerOf(property, property.holds, this.system)) this.violated ??= property;
          break;
        case 'never':
          if (answerOf(property, property.holds, this.system)) this.violated ??= property;
          break;
        case 'sometimes':
        case 'eventually':
          if (!this.#reached.has(property) && answerOf(property, property.holds, this.system))
            this.#reached.add(property);
          break;
        case 'atMost':
          if (this.#exceeds(property)) this.violated ??= property;
      }
    }
  }

  #exceeds(property: AtMost): boolean {
    const { commands, messages } = this.#tallies.get(property) ?? { commands: 0, messages: 0 };
    return messages > property.most * commands;
  }

  #remember(node: NodeView): void {
    if (!this.#began) return;
    for (const [property, pending] of this.#pending) {
      if (node.crashed || answerOf(property, property.then, node)) pending.delete(node);
      else if (answerOf(property, property.holds, node)) pending.add(node);
    }
    for (const [property, numbers] of this.#numbers) this.#compare(property, numbers, node);
    for (const overtaking of this.#overtaking)
      if (!overtaking.look(node)) this.violated ??= overtaking.property;
  }

  #compare(property: Increases, numbers: Numbers, node: NodeView): void {
    const number = numberOf(property, node);
    if (number !== undefined && number !== numbers.last.get(node)) {
      if (!(number > numbers.largest)) this.violated ??= property;
      numbers.largest = Math.max(numbers.largest, number);
    }
    numbers.last.set(node, number);
  }

  /** The verdicts. `complete`: the run became quiescent, so what has not happened never will. */
  finish(complete: boolean): readonly PropertyReport[] {
    return this.properties.map((property) => ({
      name: property.name,
      kind: property.kind,
      verdict: this.#verdict(property, complete),
    }));
  }

  #verdict(property: Property, complete: boolean): Verdict {
    if (property === this.violated) return 'violated';
    switch (property.kind) {
      case 'always':
      case 'never':
      case 'atMost':
      case 'increases':
      case 'everyStep':
      case 'overtaken':
        return this.violated || !complete ? 'incomplete' : 'holds';
      case 'sometimes':
        return this.#reached.has(property) ? 'reached' : complete ? 'unreached' : 'incomplete';
      case 'eventually':
        return this.#reached.has(property) ? 'holds' : complete ? 'violated' : 'incomplete';
      case 'alwaysEventually':
        return !complete
          ? 'incomplete'
          : answerOf(property, property.holds, this.system)
            ? 'holds'
            : 'violated';
      case 'leadsTo':
        return !complete
          ? 'incomplete'
          : this.#pending.get(property)?.size === 0
            ? 'holds'
            : 'violated';
    }
  }
}

const numberOf = (property: Increases, node: NodeView): number | undefined =>
  node.crashed ? undefined : numberFrom(property, node);
