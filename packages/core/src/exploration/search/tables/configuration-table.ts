import type { LocalState } from '../../../protocol/step.js';
import type { NodeClock } from '../../worlds/clockwork.js';
import type { Application } from '../../worlds/commands.js';
import { DataInterner } from './interner.js';
import { PairTable } from './pair-table.js';

/**
 * The local state of one node, its remaining commands, its clocks, and whether it is crashed: the
 * meaning of a slot of the vector.
 */
export interface NodeConfiguration extends Application {
  readonly state: LocalState;
  readonly crashed: boolean;
  /** In exact time. */
  readonly clock?: NodeClock;
}

type Environs = Omit<NodeConfiguration, 'state'>;

/** The configurations of one node as numbers: each is a local state and the rest. */
export class ConfigurationTable {
  readonly items: NodeConfiguration[] = [];
  readonly #rests = new DataInterner<Environs>();
  /** By state and rest: the configuration. */
  readonly #ids = new PairTable();
  /** By configuration: its state, its rest. */
  readonly #parts: number[] = [];

  constructor(private readonly states: DataInterner<LocalState>) {}

  id({ state, ...rest }: NodeConfiguration): number {
    return this.with(this.states.id(state), this.rest(rest));
  }

  item(place: number): NodeConfiguration {
    return this.items[place] as NodeConfiguration;
  }

  /** The number of the local state of a configuration. */
  stateOf(place: number): number {
    return this.#parts[2 * place] as number;
  }

  /** The number of the rest of a configuration. */
  restOf(place: number): number {
    return this.#parts[2 * place + 1] as number;
  }

  rest({ commands, fulfilled, crashed, clock }: Environs): number {
    return this.#rests.id({ commands, fulfilled, crashed, ...(clock && { clock }) });
  }

  /** The configuration of a local state and a rest, by their numbers. */
  with(state: number, rest: number): number {
    const known = this.#ids.get(state, rest);
    if (known >= 0) return known;
    const id = this.items.length;
    this.items.push({ state: this.states.item(state), ...this.#rests.item(rest) });
    this.#parts.push(state, rest);
    this.#ids.add(state, rest, id);
    return id;
  }
}
