import type { LocalState } from '../protocol/step.js';
import { DataInterner } from './interner.js';
import { PairTable } from './pair-table.js';

/** One node with what the environment may still wish of it: what a slot of the vector stands for. */
export interface Place {
  readonly state: LocalState;
  readonly wishes: readonly number[];
  readonly crashed: boolean;
}

/** The places of one node as numbers. Each is a local state and the rest, so that a state known with other wishes is known again. */
export class PlaceTable {
  readonly items: Place[] = [];
  readonly #states = new DataInterner<LocalState>();
  readonly #rests = new DataInterner<Omit<Place, 'state'>>();
  /** By state and rest: the place. */
  readonly #ids = new PairTable();
  /** By place: its state, its rest. */
  readonly #parts: number[] = [];

  id({ state, wishes, crashed }: Place): number {
    return this.#id(this.#states.id(state), this.#rests.id({ wishes, crashed }));
  }

  item(place: number): Place {
    return this.items[place] as Place;
  }

  /** The number of the local state of a place. */
  stateOf(place: number): number {
    return this.#parts[2 * place] as number;
  }

  /** A place with another local state. */
  with(place: number, state: number): number {
    return this.#id(state, this.#parts[2 * place + 1] as number);
  }

  #id(state: number, rest: number): number {
    const known = this.#ids.get(state, rest);
    if (known >= 0) return known;
    const id = this.items.length;
    this.items.push({ state: this.#states.item(state), ...this.#rests.item(rest) });
    this.#parts.push(state, rest);
    this.#ids.add(state, rest, id);
    return id;
  }
}
