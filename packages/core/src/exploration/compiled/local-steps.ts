import { ConclaveError } from '../../protocol/error.js';
import type { Json, NodeId } from '../../protocol/node.js';
import { copyOf, differenceOf, impure } from '../../protocol/plain-data.js';
import type { LocalState, Step } from '../../protocol/step.js';
import { breaksRules } from '../../protocol/unhandled-messages.js';
import { byChannel } from '../reductions/sent.js';
import { armedBy } from '../worlds/clockwork.js';
import type { LocalNode } from '../worlds/local-node.js';
import type { Action } from '../worlds/world.js';
import { DataInterner } from './interner.js';
import { PairTable } from './pair-table.js';

/** The result of a local step: the number of the next local state, its sends (slot, message, slot, message …), its choices, the timers it arms. */
export interface LocalOutcome {
  readonly state: number;
  readonly sends: readonly number[];
  readonly choices: readonly (readonly Json[])[];
  /** The timers that it arms. */
  readonly armed: readonly string[];
  /** Set if the step fails; the other fields are meaningless then. */
  readonly error?: ConclaveError;
}

/** An action that a node took in a local state. */
export interface DistinctStep {
  readonly id: NodeId;
  readonly node: LocalNode;
  /** The number of the node among the nodes, and of the state among its local states. */
  readonly index: number;
  readonly number: number;
  readonly state: LocalState;
  readonly action: Action;
  /** Why it fails, if it does. */
  readonly error: ConclaveError | undefined;
}

/** A local state, by its number, and an action taken in it. */
interface DistinctTaken {
  readonly state: number;
  readonly action: Action;
}

/** The steps of one node; XState takes each once. Distinct pairs of local state and action are few even if worlds are many. */
export class LocalSteps {
  readonly states = new DataInterner<LocalState>();
  /** By local state and action: the index of the outcome. */
  readonly #known = new PairTable();
  readonly #outcomes: LocalOutcome[] = [];
  /** By outcome. */
  readonly #taken: DistinctTaken[] = [];

  /** `sendsOf` encodes effects as numbers, `actionOf` decodes an action. */
  constructor(
    readonly node: LocalNode,
    private readonly actionOf: (id: number) => Action,
    private readonly sendsOf: (step: Step) => readonly number[],
  ) {}

  /** The outcome of action number `id` in the local state `state`. It must be a possible action of this node. */
  outcome(state: number, id: number): LocalOutcome {
    const known = this.#known.get(state, id);
    if (known >= 0) return this.#outcomes[known] as LocalOutcome;
    const action = this.actionOf(id);
    const made = this.#make(state, this.states.item(state), action);
    this.#known.add(state, id, this.#outcomes.length);
    this.#outcomes.push(made);
    this.#taken.push({ state, action });
    return made;
  }

  /** Every distinct step that was taken; `index`: the number of this node. */
  *distinct(index: number): Generator<DistinctStep> {
    const { node } = this;
    for (const [place, { state: number, action }] of this.#taken.entries())
      yield { id: node.id, node, index, number, state: this.states.item(number), action, error: this.#outcomes[place]?.error };
  }

  /**
   * Takes every step a second time, from a mutable copy of its state: the outcome must be the same, and the copy unchanged. The same is required
   * of equal states with another order of keys. `tick` is called before each.
   *
   * @throws {ConclaveError} `impure`
   */
  confirm(order: 'fifo' | 'any', tick: () => void): void {
    for (const place of this.#taken.keys()) {
      tick();
      this.#confirm(place);
    }
    const steps = new Map<number, number[]>(); // by state
    for (const [place, { state }] of this.#taken.entries()) steps.set(state, [...(steps.get(state) ?? []), place]);
    for (const { id, value } of this.states.reordered) // grows meanwhile
      for (const place of steps.get(id) ?? []) {
        tick();
        this.#confirm(place, { value, order });
      }
  }

  #confirm(place: number, reordered?: { readonly value: LocalState; readonly order: 'fifo' | 'any' }): void {
    const { state, action } = this.#taken[place] as DistinctTaken;
    const first = this.#outcomes[place] as LocalOutcome;
    const known = reordered?.value ?? this.states.item(state);
    const copy = { state: copyOf(known), action: copyOf(action) };
    const again = this.#make(state, copy.state, copy.action);
    const who = `Node ${this.node.id}, taking ${nameOf(action)},`;
    const changed = differenceOf({ state: known, action }, copy);
    if (changed) throw impure(who, changed);
    if (again.error?.message === first.error?.message && textOf(again, reordered?.order) === textOf(first, reordered?.order)) return;
    const differs = differenceOf(this.#told(first), this.#told(again)) ?? 'it sends something else';
    throw new ConclaveError(
      'impure',
      `${who} ${reordered ? 'depends on the order of the keys of an object' : 'does not do the same each time'}: ${differs}`,
      reordered
        ? 'Objects with the same fields are the same state: keep what has an order in a list.'
        : 'Let a step depend on its state and its event only, not on variables outside of the machine.',
    );
  }

  /** An outcome, for errors. */
  #told({ state, choices, error }: LocalOutcome) {
    const { value, context, timers, recorded } = this.states.item(state);
    return error ? { error: error.message } : { value, context, timers, asked: choices, history: recorded };
  }

  #make(number: number, state: LocalState, action: Action): LocalOutcome {
    try {
      const step = this.node.perform(state, action);
      const asked = step.effects.flatMap((effect) => (effect.type === 'choose' ? [effect.options] : []));
      return { state: this.states.id(step.state), sends: this.sendsOf(step), choices: asked, armed: armedBy(step.effects) };
    } catch (error) {
      if (breaksRules(error)) return { state: number, sends: [], choices: [], armed: [], error };
      throw error;
    }
  }
}

/** An outcome as text; with an order of channels, only the order of messages within a channel counts, or under `any` none. */
const textOf = ({ state, sends, choices, armed }: LocalOutcome, order?: 'fifo' | 'any'): string =>
  JSON.stringify({ state, sends: order ? byChannel(sends, order) : sends, asked: choices, armed });

function nameOf(action: Action): string {
  if (action.type === 'command') return `'${action.command.type}'`;
  if (action.type === 'deliver') return `'${action.message.type}' from ${action.from}`;
  return action.type === 'timeout' ? `the time-out '${action.timer}'` : `a ${action.type}`;
}
