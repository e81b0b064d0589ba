import { badInput } from '../../../base/error.js';
import type { Permutation } from '../../../protocol/symmetry.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type {
  ConfigurationTable,
  NodeConfiguration,
} from '../../search/tables/configuration-table.js';
import { DenseTable } from '../../search/tables/dense-table.js';
import type { Environment } from '../../search/tables/environment.js';
import { sameData } from '../../worlds/canonical.js';
import { Names } from './names.js';
import { permutationText } from './symmetry.js';

/**
 * A permutation of the nodes, acting on worlds: it moves the configuration of each node to its
 * image, and renames every id in it. Each configuration, content and environment is renamed once;
 * from then on it is a table look-up.
 */
export class Renaming {
  /** Such as `b→c→b`. */
  readonly name: string;
  /** By slot: the slot that is moved to it. */
  readonly #sources: Int32Array;
  readonly #names: Names;
  readonly #nodes: number;
  readonly #environment: number;
  /** By node that moves. */
  readonly #places: readonly DenseTable[];
  readonly #contents = new DenseTable();
  readonly #environments = new DenseTable();
  /** By count of commands: the count of the renamed ones. */
  readonly #counts: readonly number[];

  /** @throws {ConclaveError} `bad-input` if a renamed command is not in the budget. */
  constructor(
    private readonly compiled: CompiledWorlds,
    permutation: Permutation,
  ) {
    const names = new Names(permutation);
    this.#names = names;
    this.name = permutationText(permutation);
    const {
      topology,
      commands: { optional: commands, counts: countOf },
    } = compiled.worlds;
    const { nodes, links } = topology;
    this.#nodes = nodes.length;
    this.#environment = compiled.width - 1;
    this.#sources = new Int32Array(compiled.width);
    this.#sources[this.#environment] = this.#environment;
    for (const [index, id] of nodes.entries()) this.#sources[nodes.indexOf(names.id(id))] = index;
    for (const [index, { from, to }] of links.entries()) {
      const target = links.findIndex(
        (link) => link.from === names.id(from) && link.to === names.id(to),
      );
      this.#sources[nodes.length + target] = nodes.length + index;
    }
    this.#places = nodes.map(() => new DenseTable());
    const counts: number[] = [];
    for (const [position, command] of commands.entries()) {
      const renamed = names.fields(command);
      const index = commands.findIndex((other) => sameData(other, renamed));
      if (index < 0)
        throw badInput(
          `Budget: ${JSON.stringify(command)} is a command, but ${JSON.stringify(renamed)}, its image under the symmetry, is not`,
          "Give both, or leave out reduce: 'symmetry'.",
        );
      counts[countOf[position] as number] = countOf[index] as number;
    }
    this.#counts = counts;
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
      slot < this.#nodes
        ? (this.#places[source] as DenseTable)
        : slot < this.#environment
          ? this.#contents
          : this.#environments;
    const known = table.get(number);
    if (known >= 0) return known;
    const renamed = this.#find(slot, source, number);
    table.add(number, 0, renamed);
    return renamed;
  }

  #find(slot: number, source: number, number: number): number {
    const { configurations, contents, parcels, environments } = this.compiled;
    if (slot < this.#nodes)
      return (configurations[slot] as ConfigurationTable).id(
        this.#place((configurations[source] as ConfigurationTable).item(number)),
      );
    if (slot === this.#environment)
      return environments.id(this.#renamedEnvironment(environments.item(number)));
    return contents
      .list(number)
      .reduce(
        (content, parcel) =>
          contents.push(content, parcels.id(this.#names.fields(parcels.message(parcel)))),
        0,
      );
  }

  #place({ state, commands, fulfilled, crashed }: NodeConfiguration): NodeConfiguration {
    const moved = commands.map((_, index) => commands[this.#counts.indexOf(index)] ?? 0);
    return { state: this.#names.state(state), commands: moved, fulfilled, crashed };
  }

  #renamedEnvironment({ remaining, cut, choosing, starting }: Environment): Environment {
    const { nodes } = this.compiled.worlds.topology;
    const names = this.#names;
    const side = new Set(cut.map((id) => names.id(id)));
    const withFirst = side.has(nodes[0] ?? '');
    const started = new Set(starting?.map((id) => names.id(id)));
    return {
      remaining,
      cut: nodes.filter((id) => side.has(id) !== withFirst), // the part without the first node
      choosing: choosing.map(({ node, options, ...draw }) => ({
        ...draw,
        node: names.id(node),
        options: options.map((option) => names.value(option)),
      })),
      ...(starting && { starting: nodes.filter((id) => started.has(id)) }),
    };
  }
}
