import { breaksRules } from '@conclave/core/internal';
import type { LocalState, NodeId, Step } from '@conclave/core/protocol';
import type { LocalNode } from '../../worlds/local-node.js';
import { armedBy } from '../../worlds/time.js';
import type { Action } from '../../worlds/world.js';
import { choiceOf } from '../../worlds/worlds.js';
import { type Confirmable, confirmStep, type Judge, type LocalOutcome } from './confirm.js';
import { DataInterner, PairTable } from './interner.js';

/** An action that a node took in a local state. */
export interface DistinctStep {
  readonly id: NodeId;
  readonly node: LocalNode;
  /** The number of the node among the nodes, and of the state among its local states. */
  readonly index: number;
  readonly number: number;
  /** The number of the step among those of the node. */
  readonly place: number;
  readonly state: LocalState;
  readonly action: Action;
  /** What it leads to. */
  readonly outcome: LocalOutcome;
  /** The local state after it. */
  readonly after: LocalState;
}

/** A local state, by its number, and an action taken in it. */
interface DistinctTaken {
  readonly state: number;
  readonly action: Action;
}

const nothing = { sends: [], choices: [], armed: [], effects: [] } as const;

/**
 * The steps of one node; each is taken once. Distinct pairs of local state and action are few even
 * if worlds are many.
 */
export class LocalSteps {
  readonly states = new DataInterner<LocalState>(partsOf);
  /** By local state and action: the index of the outcome. */
  readonly #known = new PairTable();
  readonly #outcomes: LocalOutcome[] = [];
  /** By outcome. */
  readonly #taken: DistinctTaken[] = [];
  #confirmed = 0;
  /** The steps before this one need no further confirmation. */
  #settled = 0;

  /** `sendsOf` encodes effects as numbers, `actionOf` decodes an action. */
  constructor(
    readonly node: LocalNode,
    private readonly actionOf: (id: number) => Action,
    private readonly sendsOf: (step: Step) => readonly number[],
  ) {}

  /** How many distinct steps were taken. */
  get size(): number {
    return this.#taken.length;
  }

  /** How many of them are confirmed. */
  get confirmed(): number {
    return this.#confirmed;
  }

  /**
   * The outcome of action number `id` in the local state `state`. It must be a possible action of
   * this node.
   */
  outcome(state: number, id: number): LocalOutcome {
    const known = this.#known.get(state, id);
    if (known >= 0) return this.#outcomes[known] as LocalOutcome;
    const action = this.actionOf(id);
    const from = this.states.item(state);
    const made = this.outcomeOf(() => this.node.perform(from, action), from);
    this.#known.add(state, id, this.#outcomes.length);
    this.#outcomes.push(made);
    this.#taken.push({ state, action });
    return made;
  }

  /** Every distinct step that was taken, from a place on; `index`: the number of this node. */
  *distinct(index: number, from = 0): Generator<DistinctStep> {
    const { node } = this;
    for (let place = from; place < this.#taken.length; place++) {
      const { state: number, action } = this.#taken[place] as DistinctTaken;
      const outcome = this.#outcomes[place] as LocalOutcome; // each step has one
      const [state, after] = [this.states.item(number), this.states.item(outcome.state)];
      yield { id: node.id, node, index, number, place, state, action, outcome, after };
    }
  }

  /**
   * Takes every step that is not yet confirmed again, by XState. The outcome must be the same. The
   * same is required of equal states with another order of keys. `tick` is called before each.
   *
   * @throws {ConclaveError} `impure`
   */
  confirm(judge: Judge, order: 'fifo' | 'any', tick: () => void): void {
    this.#confirmed = this.#settled;
    // The last one first: in the same order, a toggle outside of the machine could answer the same
    // again.
    for (let place = this.#taken.length - 1; place >= this.#settled; place--) {
      tick();
      confirmStep(this.#confirmable(place, judge));
      this.#confirmed++;
    }
    this.#settled = this.#confirmed;
    if (this.states.reordered.length === 0) return;
    const steps = new Map<number, number[]>(); // by state
    for (const [place, { state }] of this.#taken.entries())
      steps.set(state, [...(steps.get(state) ?? []), place]);
    for (const { id, value } of this.states.reordered) // grows meanwhile
      for (const place of steps.get(id) ?? []) {
        tick();
        confirmStep({ ...this.#confirmable(place, judge), state: value, order });
      }
  }

  #confirmable(place: number, judge: Judge): Confirmable {
    const { state, action } = this.#taken[place] as DistinctTaken;
    const outcome = this.#outcomes[place] as LocalOutcome;
    return {
      node: this.node,
      judge,
      state: this.states.item(state),
      action,
      outcome,
      numbers: this,
    };
  }

  stateOf(number: number): LocalState {
    return this.states.item(number);
  }

  /**
   * What a step from a local state amounts to. An error that breaks the node contract is an
   * outcome, too.
   */
  outcomeOf(take: () => Step, from: LocalState): LocalOutcome {
    try {
      const step = take();
      const { effects } = step;
      const state = this.states.id(step.state);
      if (effects.length === 0)
        return {
          state,
          sends: nothing.sends,
          choices: nothing.choices,
          armed: nothing.armed,
          effects,
        };
      const choices = effects.flatMap((effect) =>
        effect.type === 'choose' ? [choiceOf(effect)] : [],
      );
      return { state, sends: this.sendsOf(step), choices, armed: armedBy(effects), effects };
    } catch (error) {
      if (breaksRules(error)) return { ...nothing, state: this.states.id(from), error };
      throw error;
    }
  }
}

/** The data of a local state, in a fixed order. */
const partsOf = ({
  value,
  context,
  timers,
  recorded,
  tags,
  history,
  status,
}: LocalState): unknown => [value, context, timers, recorded, tags, history, status];
