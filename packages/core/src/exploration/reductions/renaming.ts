import { ConclaveError } from '../../protocol/error.js';
import type { Json } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import type { Permutation } from '../../protocol/symmetry.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import { DenseTable } from '../compiled/dense-table.js';
import type { Environment } from '../compiled/environment.js';
import type { Place, PlaceTable } from '../compiled/place-table.js';
import { sameData } from '../worlds/canonical.js';

/**
 * A permutation of the nodes as it acts on worlds: what was at one node stands at another, and every id in it is renamed. Each place,
 * content and environment is renamed once; from then on it is a look-up.
 */
export class Renaming {
  /** By slot: the slot that moves there. */
  readonly #sources: Int32Array;
  readonly #nodes: number;
  readonly #environment: number;
  /** By node that moves. */
  readonly #places: readonly DenseTable[];
  readonly #contents = new DenseTable();
  readonly #environments = new DenseTable();
  /** By place in the list of commands: the place of the renamed command. */
  readonly #commands: readonly number[];

  /** @throws {ConclaveError} `bad-input` where the renamed wishes are not among those of the budget. */
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly permutation: Permutation,
  ) {
    const {
      topology,
      commands: { wishes: commands },
    } = compiled.worlds;
    const { nodes, links } = topology;
    this.#nodes = nodes.length;
    this.#environment = compiled.width - 1;
    this.#sources = new Int32Array(compiled.width);
    this.#sources[this.#environment] = this.#environment;
    for (const [index, id] of nodes.entries()) this.#sources[nodes.indexOf(this.#id(id))] = index;
    for (const [index, { from, to }] of links.entries()) {
      const target = links.findIndex((link) => link.from === this.#id(from) && link.to === this.#id(to));
      this.#sources[nodes.length + target] = nodes.length + index;
    }
    this.#places = nodes.map(() => new DenseTable());
    this.#commands = commands.map((command) => {
      const renamed = this.#fields(command);
      const index = commands.findIndex((other) => sameData(other, renamed));
      if (index < 0)
        throw new ConclaveError(
          'bad-input',
          `Budget: ${JSON.stringify(command)} is a command, but ${JSON.stringify(renamed)}, which the symmetry makes of it, is none`,
          "Give both, or leave out reduce: 'symmetry'.",
        );
      return index;
    });
  }

  /** Writes the renamed world. */
  apply(vector: Int32Array, into: Int32Array): void {
    for (let slot = 0; slot < into.length; slot++) into[slot] = this.slot(vector, slot);
  }

  /** One slot of the renamed world. */
  slot(vector: Int32Array, slot: number): number {
    const source = this.#sources[slot] as number;
    const number = vector[source] as number;
    const table =
      slot < this.#nodes ? (this.#places[source] as DenseTable) : slot < this.#environment ? this.#contents : this.#environments;
    const known = table.get(number);
    if (known >= 0) return known;
    const renamed = this.#find(slot, source, number);
    table.add(number, 0, renamed);
    return renamed;
  }

  #find(slot: number, source: number, number: number): number {
    const { places, contents, messages, environments } = this.compiled;
    if (slot < this.#nodes) return (places[slot] as PlaceTable).id(this.#place((places[source] as PlaceTable).item(number)));
    if (slot === this.#environment) return environments.id(this.#renamedEnvironment(environments.item(number)));
    return contents.list(number).reduce((content, message) => contents.push(content, messages.id(this.#fields(messages.item(message)))), 0);
  }

  #place({ state, wishes, fulfilled, crashed }: Place): Place {
    const moved = wishes.map((_, index) => wishes[this.#commands.indexOf(index)] ?? 0);
    return { state: this.#state(state), wishes: moved, fulfilled, crashed };
  }

  #state(state: LocalState): LocalState {
    const { context, timers } = state;
    return {
      ...state,
      context: Object.fromEntries(Object.entries(context).map(([field, value]) => [field, this.#value(value)])),
      timers: timers.map(({ id, delay, event }) => ({ id: this.#id(id), delay, event: this.#fields(event) })),
    };
  }

  #renamedEnvironment({ remaining, cut, choosing }: Environment): Environment {
    const { nodes } = this.compiled.worlds.topology;
    const side = new Set(cut.map((id) => this.#id(id)));
    const withFirst = side.has(nodes[0] ?? '');
    return {
      remaining,
      cut: nodes.filter((id) => side.has(id) !== withFirst), // the part without the first node
      choosing: choosing.map(({ node, options }) => ({ node: this.#id(node), options: options.map((option) => this.#value(option)) })),
    };
  }

  /** What a message, command or event carries; the names of its fields and its type stay. */
  #fields<T extends { readonly type: string }>(carrier: T): T {
    const { type } = carrier;
    const fields = Object.fromEntries(Object.entries<Json>({ ...carrier }).map(([field, value]) => [field, this.#value(value)]));
    return { ...carrier, ...fields, type };
  }

  #value(value: Json): Json {
    if (typeof value === 'string') return this.#id(value);
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.#id(key), this.#value(item)]));
  }

  #id(id: string): string {
    return this.permutation.get(id) ?? id;
  }
}
