import type { Message, NodeId } from '../../../protocol/node.js';
import {
  ConfigurationTable,
  type NodeConfiguration,
} from '../../search/tables/configuration-table.js';
import { DataInterner } from '../../search/tables/interner.js';
import type { LocalOutcome } from '../../search/tables/local-outcome.js';
import { LocalSteps } from '../../search/tables/local-steps.js';
import { byChannel, sentBy } from '../../search/tables/sent.js';
import { LocalNode } from '../../worlds/local-node.js';
import type { Action } from '../../worlds/world.js';
import type { Worlds } from '../../worlds/worlds.js';

/**
 * The step of one node in a configuration: where it leads, and whether properties distinguish the
 * two configurations.
 */
interface Taken extends Omit<LocalOutcome, 'state'> {
  readonly place: number;
  readonly isVisible: boolean;
}

/**
 * Limits of the check: with more configurations a step is not free; after so many comparisons in
 * total, none is.
 */
const mostPlaces = 50;
const mostComparisons = 20_000;

/**
 * Determines which steps of one node are free: whatever the node does first, the step stays
 * possible, commutes with it, and changes nothing that properties look at. Then the node may take
 * it at once.
 *
 * What the node may do is known from the search so far. `true` is therefore an assumption until
 * {@link hold} confirms it.
 */
export class Independence {
  readonly #places: ConfigurationTable;
  readonly #steps: LocalSteps;
  readonly #actions = new DataInterner<Action>();
  readonly #messages = new DataInterner<Message>();
  /**
   * By configuration: actions that were seen in it, or must be possible in it since they are after
   * a free step.
   */
  readonly #seen: Set<number>[] = [];
  #size = 0;
  #comparisons = 0;
  /** By configuration and action: whether it is free. */
  readonly #free: Map<number, boolean>[] = [];
  /** By configuration and action. */
  readonly #taken: Map<number, Taken>[] = [];
  readonly #own: (readonly number[])[] = [];

  /** `differ`: whether properties distinguish two configurations of the node. */
  constructor(
    private readonly worlds: Worlds,
    private readonly id: NodeId,
    private readonly differ: (one: NodeConfiguration, other: NodeConfiguration) => boolean,
  ) {
    this.#steps = new LocalSteps(
      LocalNode.of(worlds, id),
      (action) => this.#actions.item(action),
      (step) => sentBy(step, worlds.topology, this.#messages),
    );
    this.#places = new ConfigurationTable(this.#steps.states);
  }

  /** The number of a configuration, specific to this object; likewise that of an action. */
  configuration(place: NodeConfiguration): number {
    return this.#places.id(place);
  }

  action(action: Action): number {
    return this.#actions.id(action);
  }

  /** Notes that an action is possible in a configuration. */
  see(place: number, action: number): void {
    this.#seen[place] ??= new Set();
    const seen = this.#seen[place];
    if (seen.has(action)) return;
    seen.add(action);
    this.#size++;
  }

  /** Whether a possible action is free, as far as known. */
  isFree(place: number, action: number): boolean {
    this.#free[place] ??= new Map();
    const known = this.#free[place].get(action);
    if (known !== undefined) return known;
    const isFree = this.#check(place, action);
    this.#free[place].set(action, isFree);
    return isFree;
  }

  /** Whether all assumptions are still true; those that are not are withdrawn. */
  hold(): boolean {
    let holds = true;
    for (let before = -1; before < this.#size; ) {
      before = this.#size;
      for (const [place, actions] of this.#free.entries())
        for (const [action, isFree] of actions ?? []) {
          if (!isFree || this.#check(place, action)) continue;
          actions.set(action, false);
          holds = false;
        }
    }
    return holds;
  }

  #check(first: number, action: number): boolean {
    const places = new Set([first]);
    for (const place of places) {
      if (
        places.size > mostPlaces ||
        this.#comparisons > mostComparisons ||
        !this.#isPossible(place, action)
      )
        return false;
      const { error, choices, isVisible, place: after } = this.#take(place, action);
      if (error || choices.length > 0 || isVisible) return false;
      this.see(place, action);
      // What is possible after the step may be possible before it.
      const others = [
        ...(this.#seen[place] ?? []),
        ...this.#ownActions(place),
        ...(this.#seen[after] ?? []),
      ];
      for (const other of others) {
        if (other === action || this.#waits(other, action) || !this.#isPossible(place, other))
          continue;
        this.see(place, other);
        this.#comparisons++;
        if (!this.#commute(place, action, other)) return false;
        places.add(this.#take(place, other).place);
      }
    }
    return true;
  }

  #commute(place: number, one: number, other: number): boolean {
    const { order } = this.worlds;
    const [first, second] = [this.#take(place, one), this.#take(place, other)];
    if (
      second.error ||
      !this.#isPossible(first.place, other) ||
      !this.#isPossible(second.place, one)
    )
      return false;
    const [last, asLast] = [this.#take(first.place, other), this.#take(second.place, one)];
    return (
      !last.error &&
      last.place === asLast.place &&
      JSON.stringify(last.choices) === JSON.stringify(second.choices) &&
      byChannel([...first.sends, ...last.sends], order) ===
        byChannel([...second.sends, ...asLast.sends], order)
    );
  }

  /** Whether `other` cannot happen before `action`: it is behind it in a fifo channel. */
  #waits(other: number, action: number): boolean {
    const [behind, before] = [this.#actions.item(other), this.#actions.item(action)];
    return (
      this.worlds.order === 'fifo' &&
      behind.type === 'deliver' &&
      before.type === 'deliver' &&
      behind.from === before.from
    );
  }

  #isPossible(place: number, number: number): boolean {
    const action = this.#actions.item(number);
    if (action.type === 'command' || action.type === 'timeout')
      return this.#ownActions(place).includes(number);
    return true;
  }

  /** The commands and time-outs of a configuration. */
  #ownActions(place: number): readonly number[] {
    const known = this.#own[place];
    if (known) return known;
    const at = this.#places.item(place);
    const { state } = at;
    const { id: node } = this;
    const possible = this.worlds.commands.possible(this.#steps.node, state, at);
    const actions = [
      ...possible.map((command): Action => ({ type: 'command', node, command })),
      ...state.timers.map(({ id: timer }): Action => ({ type: 'timeout', node, timer })),
    ].map((action) => this.#actions.id(action));
    this.#own[place] = actions;
    return actions;
  }

  #take(place: number, number: number): Taken {
    this.#taken[place] ??= new Map();
    const known = this.#taken[place].get(number);
    if (known) return known;
    const action = this.#actions.item(number);
    const { state, ...outcome } = this.#steps.outcome(this.#places.stateOf(place), number);
    const before = this.#places.item(place);
    const command = action.type === 'command' ? action.command : undefined;
    const left = outcome.error
      ? before
      : this.worlds.commands.after(this.id, this.#steps.states.item(state), before, command);
    const next = this.#places.with(state, this.#places.rest({ ...left, crashed: false }));
    const taken = {
      ...outcome,
      place: next,
      isVisible: this.differ(before, this.#places.item(next)),
    };
    this.#taken[place].set(number, taken);
    return taken;
  }
}
