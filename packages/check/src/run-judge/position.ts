import { kindOfProperty, nodeStep } from '@conclave/core/internal';
import type { Tracker } from '@conclave/core/internal/judge';
import type {
  ConclaveError,
  LocalState,
  NodeId,
  NodeStep,
  Property,
  Protocol,
  SystemView,
} from '@conclave/core/protocol';
import { causeOfAction, nodeViewOf } from '../worlds/local-node.js';
import { type Action, actorOf, type Outcome, stepOf, type World } from '../worlds/world.js';
import type { Worlds } from '../worlds/worlds.js';

const isViolated = ({ decided }: Tracker): boolean => decided?.value === 'false';

/** The step that led to a position. */
interface Taken {
  readonly from: Position;
  readonly action: Action;
}

/** The node whose machine an action is for. */
export function nodeOf(action: Action): NodeId | undefined {
  if ('node' in action) return action.node;
  return action.type === 'deliver' ? action.to : undefined;
}

/**
 * Whether a fair run may end where these actions are possible, for a property of this kind: none of
 * them must happen eventually.
 */
export const mayEndBefore = (
  actions: readonly Action[],
  { commands }: Protocol,
  kind: Property['kind'],
): boolean =>
  actions.every((action) => {
    if (action.type === 'deliver' || action.type === 'timeout' || action.type === 'choose')
      return false;
    if (action.type !== 'command') return true;
    return (
      !kindOfProperty({ kind }).reliesOnCommands &&
      commands[action.command.type]?.kind === 'optional'
    );
  });

/**
 * One moment of a run: its world, and the step before. What properties look at is made when one of
 * them looks.
 */
export class Position {
  #view: SystemView | undefined;
  #outcome: Outcome | undefined;
  /** Null where there is none. */
  #shown: NodeStep | null | undefined;
  #actions: readonly Action[] | undefined;
  #isQuiescent: boolean | undefined;

  constructor(
    readonly worlds: Worlds,
    readonly world: World,
    readonly taken?: Taken,
    /** Why the machine could not take the step: then `world` is the one before. */
    readonly fault?: ConclaveError,
  ) {}

  get view(): SystemView {
    this.#view ??= this.worlds.view(this.world);
    return this.#view;
  }

  /** What can happen in the world. */
  get actions(): readonly Action[] {
    this.#actions ??= this.worlds.actions(this.world);
    return this.#actions;
  }

  /** Whether nothing can happen any more. After a fault, what would happen is not known. */
  get isQuiescent(): boolean {
    this.#isQuiescent ??=
      !this.fault && this.actions.length === 0 && this.worlds.isQuiescent(this.world);
    return this.#isQuiescent;
  }

  /**
   * Whether a fair run may end here, for a property of this kind: nothing is possible that must
   * happen eventually. In exact time, only where nothing is possible.
   */
  mayEnd(kind: Property['kind']): boolean {
    const { protocol, clockwork } = this.worlds;
    if (clockwork || this.fault) return this.isQuiescent;
    return mayEndBefore(this.actions, protocol, kind);
  }

  /** The same moment, as the first one of a run: what was before is not kept. */
  get alone(): Position {
    const alone = new Position(this.worlds, this.world);
    alone.#view = this.#view;
    return alone;
  }

  /** Tells a property that is not decided what has happened in this moment; whether that violates it. */
  tell(tracker: Tracker): boolean {
    if (tracker.decided || this.fault) return false;
    const { actor } = this;
    const step = this.taken && stepOf(this.taken.action);
    if (step?.type === 'command') tracker.command?.(step.command.type);
    if (tracker.message) for (const type of this.#sent) tracker.message(type, actor);
    const shown = tracker.step && this.#step;
    if (shown) tracker.step?.(shown);
    tracker.system?.(this.view);
    if (!this.taken) tracker.begin?.(this.view);
    else if (tracker.node && actor !== undefined) tracker.node(this.view.node(actor));
    return isViolated(tracker);
  }

  /** The types of the messages that the step has sent; at the beginning, that the starts have. */
  get #sent(): readonly string[] {
    if (!this.taken) return this.view.inFlight().map(({ message }) => message.type);
    return this.#effects.flatMap((effect) => (effect.type === 'send' ? [effect.message.type] : []));
  }

  /** The step as properties see it; undefined where no machine reacts. */
  get #step(): NodeStep | undefined {
    this.#shown ??= this.#nodeStep() ?? null;
    return this.#shown ?? undefined;
  }

  #nodeStep(): NodeStep | undefined {
    const taken = this.taken && stepOf(this.taken.action);
    const cause = taken && causeOfAction(taken);
    if (!this.taken || !taken || !cause) return undefined;
    const { from, action } = this.taken;
    const { effects } =
      // a crash in the middle: the whole step
      action === taken ? { effects: this.#effects } : this.worlds.perform(from.world, taken);
    const { protocol, topology } = this.worlds;
    const id = actorOf(taken);
    const after =
      action === taken
        ? this.view.node(id)
        : nodeViewOf(protocol, topology, id, this.world.nodes[id] as LocalState, false);
    return nodeStep(from.view.node(id), after, cause, effects);
  }

  /** The node that the step is of. */
  get actor(): NodeId | undefined {
    return this.taken && nodeOf(this.taken.action);
  }

  get #effects(): Outcome['effects'] {
    if (!this.taken) return [];
    this.#outcome ??= this.worlds.perform(this.taken.from.world, this.taken.action);
    return this.#outcome.effects;
  }
}
