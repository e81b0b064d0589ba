import type { ConclaveError } from '../../protocol/error.js';
import type { Command, Json, NodeId } from '../../protocol/node.js';
import { breaksRules } from '../../protocol/rules.js';
import type { LocalState, Step } from '../../protocol/step.js';
import type { LocalNode } from '../worlds/local-node.js';
import type { Action } from '../worlds/world.js';
import { DataInterner } from './interner.js';
import { PairTable } from './pair-table.js';

/** What a local step comes to: the number of the next local state, what it sends (slot, message, slot, message …), the choices it asks for. */
export interface LocalOutcome {
  readonly state: number;
  readonly sends: readonly number[];
  readonly asked: readonly (readonly Json[])[];
  /** Set where the step breaks the rules; then the rest says nothing. */
  readonly error?: ConclaveError;
}

/** What a node took in a local state. */
export interface DistinctStep {
  readonly node: NodeId;
  readonly state: LocalState;
  readonly action: Action;
}

/** The steps of one node, each put to XState once: distinct (local state, action) pairs are few where worlds are many. */
export class LocalSteps {
  readonly states = new DataInterner<LocalState>();
  /** By local state and action: which of the outcomes. */
  readonly #known = new PairTable();
  readonly #outcomes: LocalOutcome[] = [];
  readonly #taken: { readonly state: number; readonly action: Action }[] = [];

  /** `sendsOf` turns effects into numbers, `actionOf` a number into an action. */
  constructor(
    readonly node: LocalNode,
    private readonly actionOf: (id: number) => Action,
    private readonly sendsOf: (step: Step) => readonly number[],
  ) {}

  /** What comes of action number `id` in the local state `state`. The action must be one of this node's, and possible. */
  outcome(state: number, id: number): LocalOutcome {
    const known = this.#known.get(state, id);
    if (known >= 0) return this.#outcomes[known] as LocalOutcome;
    const made = this.#make(state, this.actionOf(id));
    this.#known.add(state, id, this.#outcomes.length);
    this.#outcomes.push(made);
    return made;
  }

  takes(state: number, command: Command): boolean {
    return this.node.takes(this.states.item(state), command);
  }

  /** Every distinct step that was taken. */
  *distinct(): Generator<DistinctStep> {
    for (const { state, action } of this.#taken) yield { node: this.node.id, state: this.states.item(state), action };
  }

  #make(state: number, action: Action): LocalOutcome {
    this.#taken.push({ state, action });
    try {
      const step = this.node.perform(this.states.item(state), action);
      const asked = step.effects.flatMap((effect) => (effect.type === 'choose' ? [effect.options] : []));
      return { state: this.states.id(step.state), sends: this.sendsOf(step), asked };
    } catch (error) {
      if (breaksRules(error)) return { state, sends: [], asked: [], error };
      throw error;
    }
  }
}
