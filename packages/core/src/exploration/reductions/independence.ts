import type { Message, NodeId } from '../../protocol/node.js';
import { ConfigurationTable, type NodeConfiguration } from '../compiled/configuration-table.js';
import { DataInterner } from '../compiled/interner.js';
import { type LocalOutcome, LocalSteps } from '../compiled/local-steps.js';
import { LocalNode } from '../worlds/local-node.js';
import type { Action } from '../worlds/world.js';
import type { Worlds } from '../worlds/worlds.js';
import { byChannel, sentBy } from './sent.js';

/** The step of one node in a place: where it leads, and whether properties can tell the two places apart. */
interface Taken extends Omit<LocalOutcome, 'state'> {
  readonly place: number;
  readonly isVisible: boolean;
}

/** Beyond so many places a step is not called free, whatever it is; beyond so many comparisons in all, none is. */
const mostPlaces = 50;
const mostComparisons = 20_000;

/**
 * Tells which steps of one node are free: whatever else the node may do first, the step stays possible, comes to the same before it as after
 * it, and changes nothing that properties look at. Then the node may as well take it at once.
 *
 * What else the node may do is taken from what was seen, so that `true` is an assumption until {@link hold} confirms it at the end.
 */
export class Independence {
  readonly #places: ConfigurationTable;
  readonly #steps: LocalSteps;
  readonly #actions = new DataInterner<Action>();
  readonly #messages = new DataInterner<Message>();
  /** By place: actions that were seen there, or must be possible there if they are after a free step. */
  readonly #seen: Set<number>[] = [];
  #size = 0;
  #comparisons = 0;
  /** By place: by action, whether it is taken for free. */
  readonly #free: Map<number, boolean>[] = [];
  /** By place and action. */
  readonly #taken: Map<number, Taken>[] = [];
  readonly #own: (readonly number[])[] = [];

  /** `differ`: whether properties can tell two places of the node apart. */
  constructor(
    private readonly worlds: Worlds,
    private readonly id: NodeId,
    private readonly differ: (one: NodeConfiguration, other: NodeConfiguration) => boolean,
  ) {
    this.#steps = new LocalSteps(
      new LocalNode(id, worlds.protocol, worlds.topology),
      (action) => this.#actions.item(action),
      (step) => sentBy(step, worlds.topology, this.#messages),
    );
    this.#places = new ConfigurationTable(this.#steps.states);
  }

  /** The number of a place, in this object's own counting; likewise that of an action. */
  configuration(place: NodeConfiguration): number {
    return this.#places.id(place);
  }

  action(action: Action): number {
    return this.#actions.id(action);
  }

  /** An action was possible in a place. */
  see(place: number, action: number): void {
    this.#seen[place] ??= new Set();
    const seen = this.#seen[place];
    if (seen.has(action)) return;
    seen.add(action);
    this.#size++;
  }

  /** Whether an action, possible in a place, is free, as far as is known. */
  isFree(place: number, action: number): boolean {
    this.#free[place] ??= new Map();
    const known = this.#free[place].get(action);
    if (known !== undefined) return known;
    const isFree = this.#check(place, action);
    this.#free[place].set(action, isFree);
    return isFree;
  }

  /** Whether all that was assumed still holds after all that was seen; what does not is not assumed again. */
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
      if (places.size > mostPlaces || this.#comparisons > mostComparisons || !this.#isPossible(place, action)) return false;
      const { error, choices, isVisible, place: after } = this.#take(place, action);
      if (error || choices.length > 0 || isVisible) return false;
      this.see(place, action);
      // What comes to the node after the step could as well come before it.
      const others = [...(this.#seen[place] ?? []), ...this.#ownActions(place), ...(this.#seen[after] ?? [])];
      for (const other of others) {
        if (other === action || this.#waits(other, action) || !this.#isPossible(place, other)) continue;
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
    if (second.error || !this.#isPossible(first.place, other) || !this.#isPossible(second.place, one)) return false;
    const [last, asLast] = [this.#take(first.place, other), this.#take(second.place, one)];
    return (
      !last.error &&
      last.place === asLast.place &&
      JSON.stringify(last.choices) === JSON.stringify(second.choices) &&
      byChannel([...first.sends, ...last.sends], order) === byChannel([...second.sends, ...asLast.sends], order)
    );
  }

  /** Whether `other` cannot come before `action`: it is behind it in a channel. */
  #waits(other: number, action: number): boolean {
    const [behind, before] = [this.#actions.item(other), this.#actions.item(action)];
    return this.worlds.order === 'fifo' && behind.type === 'deliver' && before.type === 'deliver' && behind.from === before.from;
  }

  #isPossible(place: number, number: number): boolean {
    const action = this.#actions.item(number);
    if (action.type === 'command' || action.type === 'timeout') return this.#ownActions(place).includes(number);
    return true;
  }

  /** Its commands and time-outs in a place. */
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
    const left = outcome.error ? before : this.worlds.commands.after(this.id, this.#steps.states.item(state), before, command);
    const next = this.#places.with(state, this.#places.rest({ ...left, crashed: false }));
    const taken = { ...outcome, place: next, isVisible: this.differ(before, this.#places.item(next)) };
    this.#taken[place].set(number, taken);
    return taken;
  }
}
