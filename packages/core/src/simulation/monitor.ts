import { Judge, trackerOf } from '../judge/judge.js';
import type { Tracker } from '../judge/tracker.js';
import { Tags } from '../protocol/names.js';
import type { Json } from '../protocol/node.js';
import { causeOf, nodeStep } from '../protocol/node-step.js';
import type { NodeView, Property, SystemView, Verdict } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { NodeState, TakenStep } from './network.js';

export interface PropertyReport {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly verdict: Verdict;
}

/** Watches the properties of a protocol during one run. */
export class Monitor {
  /** The first property found violated. */
  violated: Property | undefined;
  readonly #judge: Judge;
  readonly #views = new Map<NodeView, NodeView>();
  readonly #tags = new WeakMap<ReadonlySet<string>, Tags>();
  #began = false;

  constructor(
    private readonly protocol: Protocol,
    properties: readonly Property[],
    private readonly system: SystemView,
  ) {
    this.#judge = new Judge(
      properties.map((property) => trackerOf(property, protocol)),
      (property) => {
        this.violated ??= property;
      },
    );
  }

  /**
   * Begins to check. All nodes must have started: a property of the system may not hold while only
   * some have.
   */
  begin(): void {
    this.#began = true;
    this.#judge.begin(this.system);
  }

  /** Counts a command, before the messages that it causes. */
  commanded(type: string): void {
    this.#judge.commanded(type);
  }

  /** Counts a message that a node sends, or a crash notice. */
  sent(type: string): void {
    this.#judge.sent(type);
  }

  /** Whether {@link took} is to be called. */
  get wantsSteps(): boolean {
    return this.#judge.followsSteps;
  }

  /** Whether {@link step} is to be called after each step. */
  get wantsStates(): boolean {
    return this.#judge.followsSystem || this.#judge.followsNodes;
  }

  /** Checks a step itself; a start or restart is none. */
  took(node: NodeView, { stimulus, before, after, past, effects }: TakenStep): void {
    const cause = before && causeOf(stimulus);
    if (!before || !cause) return;
    const earlier = this.#viewOf(node, before, past);
    this.#judge.stepped(nodeStep(earlier, this.#viewOf(node, after, node.history), cause, effects));
  }

  /** The view of a node after its last step serves as the one before the next. */
  #viewOf(
    node: NodeView,
    { value, context, tags }: NodeState,
    recorded: Json | undefined,
  ): NodeView {
    const last = this.#views.get(node);
    if (last?.value === value && last.context === context && last.history === recorded) return last;
    const { id, role } = node;
    const seen = { id, role, value, context, tags: this.#tagsOf(tags), crashed: false };
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
  #tagsOf(tags: ReadonlySet<string>): Tags {
    const known = this.#tags.get(tags);
    if (known) return known;
    const made = new Tags(this.protocol, tags);
    this.#tags.set(tags, made);
    return made;
  }

  /** Checks the system, and a node after its step, where a property follows nodes. */
  step(node: () => NodeView): void {
    if (!this.#began) return;
    this.#judge.look(this.system);
    if (this.#judge.followsNodes) this.#judge.changed(node());
  }

  /** Checks the system after an event that was no step of a node. */
  look(): void {
    if (this.#began) this.#judge.look(this.system);
  }

  /** The verdicts. `complete`: the run became quiescent, so what has not happened never will. */
  finish(complete: boolean): readonly PropertyReport[] {
    return this.#judge.trackers.map((tracker) => ({
      name: tracker.property.name,
      kind: tracker.property.kind,
      verdict: this.#verdict(tracker, complete),
    }));
  }

  #verdict(tracker: Tracker, complete: boolean): Verdict {
    const { property, decided } = tracker;
    if (property === this.violated) return 'violated';
    const { value } = decided ?? (complete ? tracker.ended(this.system) : { value: 'undecided' });
    if (property.kind === 'sometimes')
      return value === 'true' ? 'reached' : complete ? 'unreached' : 'incomplete';
    if (value === 'true') return 'holds';
    return value === 'false' && complete ? 'violated' : 'incomplete';
  }
}
