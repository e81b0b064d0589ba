import { Judge } from '../judge/judge.js';
import type { Tracker } from '../judge/tracker.js';
import { trackerOf } from '../judge/trackers.js';
import { viewOfNode } from '../protocol/check-properties.js';
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

/** Judges the properties of a protocol during one run. */
export class Monitor extends Judge {
  /** The first property found violated. */
  violated: Property | undefined;
  readonly #views = new Map<NodeView, NodeView>();
  #began = false;

  constructor(
    private readonly protocol: Protocol,
    properties: readonly Property[],
    private readonly system: SystemView,
  ) {
    super(
      properties.map((property) => trackerOf(property, protocol)),
      (property) => {
        this.violated ??= property;
      },
    );
  }

  /** All nodes must have started: a property of the system may not hold while only some have. */
  override begin(): void {
    this.#began = true;
    super.begin(this.system);
  }

  override look(): void {
    if (this.#began) super.look(this.system);
  }

  override changed(node: NodeView): void {
    if (this.#began) super.changed(node);
  }

  /** Judges a step itself; a start or restart is none. */
  took(node: NodeView, { stimulus, before, after, past, effects }: TakenStep): void {
    const cause = before && causeOf(stimulus);
    if (!before || !cause) return;
    const earlier = this.#viewOf(node, before, past);
    const later = this.#viewOf(node, after, node.history);
    this.stepped(nodeStep(earlier, later, cause, effects));
  }

  /** The view of a node after its last step serves as the one before the next. */
  #viewOf(node: NodeView, state: NodeState, recorded: Json | undefined): NodeView {
    const last = this.#views.get(node);
    const isLast = last?.value === state.value && last.context === state.context;
    if (isLast && last.history === recorded) return last;
    const view = viewOfNode(this.protocol, node.id, node.role, state, recorded);
    this.#views.set(node, view);
    return view;
  }

  /** The verdicts. `complete`: the run became quiescent, so what has not happened never will. */
  finish(complete: boolean): readonly PropertyReport[] {
    return this.trackers.map((tracker) => ({
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
