import { badInput } from '../../protocol/error.js';
import type { Message, NodeId } from '../../protocol/node.js';
import type { Link, Topology } from '../../topology/topology.js';
import type { World } from '../worlds/world.js';
import type { ConfigurationTable, NodeConfiguration } from './configuration-table.js';
import type { ContentTable } from './contents.js';
import { type Environment, environmentOf } from './environment.js';
import type { DataInterner } from './interner.js';

/** The meaning of the numbers in a vector. */
interface Interned {
  readonly configurations: readonly ConfigurationTable[];
  readonly messages: DataInterner<Message>;
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
      const place: NodeConfiguration = {
        state,
        commands: commands[id] ?? [],
        fulfilled: fulfilled[id] ?? [],
        crashed: world.crashed.includes(id),
      };
      into[index] = (this.numbers.configurations[index] as ConfigurationTable).id(place);
    }
    for (const [index, { from, to }] of this.#links.entries()) {
      let content = 0;
      for (const message of world.channels[`${from}→${to}`] ?? [])
        content = this.numbers.contents.push(content, this.numbers.messages.id(message));
      into[this.#nodes.length + index] = content;
    }
    into[this.#nodes.length + this.#links.length] = this.numbers.environments.id(environmentOf(world));
  }

  /** The world of a vector. */
  decode(vector: Int32Array): World {
    const places = this.#nodes.map((_, index) => this.configurationOf(vector, index));
    const { remaining, cut, choosing } = this.numbers.environments.item(vector[this.#nodes.length + this.#links.length] as number);
    const byNode = <T>(of: (place: NodeConfiguration) => T) =>
      Object.fromEntries(this.#nodes.map((id, index) => [id, of(places[index] as NodeConfiguration)]));
    return {
      nodes: Object.fromEntries(this.#nodes.map((id, index) => [id, (places[index] as NodeConfiguration).state])),
      channels: Object.fromEntries(
        this.#links.flatMap(({ from, to }, index) => {
          const messages = this.messagesOf(vector, index);
          return messages.length === 0 ? [] : [[`${from}→${to}`, messages]];
        }),
      ),
      crashed: this.#nodes.filter((_, index) => places[index]?.crashed).sort(),
      cut,
      choosing,
      remaining: { ...remaining, commands: byNode(({ commands }) => commands), fulfilled: byNode(({ fulfilled }) => fulfilled) },
    };
  }

  configurationOf(vector: Int32Array, node: number): NodeConfiguration {
    return (this.numbers.configurations[node] as ConfigurationTable).item(vector[node] as number);
  }

  messagesOf(vector: Int32Array, channel: number): readonly Message[] {
    return this.numbers.contents.list(vector[this.#nodes.length + channel] as number).map((message) => this.numbers.messages.item(message));
  }
}
