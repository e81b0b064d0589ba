import { badInput } from '../../../base/error.js';
import { unlabelled } from '../../../protocol/history.js';
import type { Message, NodeId } from '../../../protocol/node.js';
import type { Link, Topology } from '../../../topology/topology.js';
import type { Due } from '../../worlds/clockwork.js';
import { duesOf } from '../../worlds/in-flight.js';
import type { World } from '../../worlds/world.js';
import type { ConfigurationTable, NodeConfiguration } from './configuration-table.js';
import type { ContentTable } from './contents.js';
import { type Environment, environmentOf } from './environment.js';
import type { DataInterner } from './interner.js';
import type { ParcelTable } from './parcels.js';

/** The meaning of the numbers in a vector. */
interface Interned {
  readonly configurations: readonly ConfigurationTable[];
  readonly parcels: ParcelTable;
  readonly contents: ContentTable;
  readonly environments: DataInterner<Environment>;
}

/** Worlds as vectors, and back: one integer per node, one per channel, one for the environment. */
export class Encoding {
  readonly #nodes: readonly NodeId[];
  readonly #links: readonly Link[];

  constructor(
    private readonly numbers: Interned,
    { nodes, links }: Topology,
  ) {
    this.#nodes = nodes;
    this.#links = links;
  }

  /** Writes `world` as a vector. */
  encode(world: World, into: Int32Array): void {
    for (const [index, id] of this.#nodes.entries()) {
      const state = world.nodes[id];
      if (!state) throw badInput(`The world has no node '${id}'`);
      const { commands, fulfilled } = world.remaining;
      const clock = world.clocks?.nodes[id];
      const place: NodeConfiguration = {
        state,
        commands: commands[id] ?? [],
        fulfilled: fulfilled[id] ?? [],
        crashed: world.crashed.includes(id),
        ...(clock && { clock }),
      };
      into[index] = (this.numbers.configurations[index] as ConfigurationTable).id(place);
    }
    for (const [index, { from, to }] of this.#links.entries()) {
      const key = `${from}→${to}`;
      const dues = duesOf(world, key);
      const parcels = (world.channels[key] ?? []).map((message, place) =>
        this.numbers.parcels.id(message, dues[place]),
      );
      into[this.#nodes.length + index] = this.numbers.contents.of(parcels);
    }
    into[this.#nodes.length + this.#links.length] = this.numbers.environments.id(
      environmentOf(world),
    );
  }

  /** The world of a vector. */
  decode(vector: Int32Array): World {
    const places = this.#nodes.map((_, index) => this.configurationOf(vector, index));
    const { remaining, cut, choosing, starting } = this.numbers.environments.item(
      vector[this.#nodes.length + this.#links.length] as number,
    );
    const byNode = <T>(of: (place: NodeConfiguration) => T) =>
      Object.fromEntries(
        this.#nodes.map((id, index) => [id, of(places[index] as NodeConfiguration)]),
      );
    const byChannel = <T>(of: (parcel: number) => T) =>
      Object.fromEntries(
        this.#links.flatMap(({ from, to }, index) => {
          const list = this.#parcelsOf(vector, index).map(of);
          return list.length === 0 ? [] : [[`${from}→${to}`, list]];
        }),
      );
    const isTimed = places.some(({ clock }) => clock);
    return {
      nodes: Object.fromEntries(
        this.#nodes.map((id, index) => [id, (places[index] as NodeConfiguration).state]),
      ),
      channels: byChannel((parcel) => this.numbers.parcels.message(parcel)),
      crashed: this.#nodes.filter((_, index) => places[index]?.crashed).sort(),
      cut,
      choosing,
      ...(starting && { starting }),
      remaining: {
        ...remaining,
        commands: byNode(({ commands }) => commands),
        fulfilled: byNode(({ fulfilled }) => fulfilled),
      },
      ...(isTimed && {
        clocks: {
          dues: byChannel((parcel) => this.numbers.parcels.due(parcel) ?? never),
          nodes: byNode(({ clock }) => clock ?? { timers: [], stays: [] }),
        },
      }),
    };
  }

  configurationOf(vector: Int32Array, node: number): NodeConfiguration {
    return (this.numbers.configurations[node] as ConfigurationTable).item(vector[node] as number);
  }

  /** The messages in a channel, without labels. */
  messagesOf(vector: Int32Array, channel: number): readonly Message[] {
    return this.messagesIn(vector[this.#nodes.length + channel] as number);
  }

  /** The messages of a content, without labels. */
  messagesIn(content: number): readonly Message[] {
    return this.numbers.contents
      .list(content)
      .map((parcel) => unlabelled(this.numbers.parcels.message(parcel)));
  }

  #parcelsOf(vector: Int32Array, channel: number): readonly number[] {
    return this.numbers.contents.list(vector[this.#nodes.length + channel] as number);
  }
}

/** For the compiler: in exact time each message in flight has a time of arrival. */
const never: Due = { least: Infinity, most: Infinity };
