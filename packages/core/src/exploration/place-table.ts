import type { LocalState } from '../protocol/step.js';
import { DataInterner } from './interner.js';
import { PairTable } from './pair-table.js';

/** One node with what the environment may still wish of it: what a slot of the vector stands for. */
export interface Place {
  readonly state: LocalState;
  readonly wishes: readonly number[];
  readonly crashed: boolean;
}

type Rest = Omit<Place, 'state'>;

/** The places of one node as numbers: each is a local state and the rest. */
export class PlaceTable {
  readonly items: Place[] = [];
  readonly #rests = new DataInterner<Rest>();
  /** By state and rest: the place. */
  readonly #ids = new PairTable();
  /** By place: its state. */
  readonly #states: number[] = [];

  constructor(private readonly states: DataInterner<LocalState>) {}

  id({ state, wishes, crashed }: Place): number {
    return this.with(this.states.id(state), { wishes, crashed });
  }

  item(place: number): Place {
    return this.items[place] as Place;
  }

  /** The number of the local state of a place. */
  stateOf(place: number): number {
    return this.#states[place] as number;
  }

  /** The place of a local state, by its number, and the rest. */
  with(state: number, rest: Rest): number {
    const other = this.#rests.id(rest);
    const known = this.#ids.get(state, other);
    if (known >= 0) return known;
    const id = this.items.length;
    this.items.push({ state: this.states.item(state), ...rest });
    this.#states.push(state);
    this.#ids.add(state, other, id);
    return id;
  }
}
