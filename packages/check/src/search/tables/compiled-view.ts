import { requireMessage, requireTag } from '@conclave/core/internal';
import type { InFlight, NodeId, NodeView, SystemView } from '@conclave/core/protocol';
import { badInput } from '../../base/bad-input.js';
import { nodeViewOf } from '../../worlds/local-node.js';
import type { CompiledWorlds } from './compiled-worlds.js';
import type { ConfigurationTable } from './encoding.js';

const none = new Int32Array(0);

/**
 * What a property may look at, read from a vector: one view serves all worlds, and each node's view
 * is built once per configuration.
 */
export class CompiledView implements SystemView {
  #vector: Int32Array = none;
  /** By node and configuration. */
  readonly #views: NodeView[][];
  /** By tag, node and configuration: 1 if it has the tag. */
  readonly #tagged: Map<string, number[][]>;
  readonly #ids: readonly NodeId[];

  /** `like`: another view, with which it shares its caches. */
  constructor(
    private readonly compiled: CompiledWorlds,
    like?: CompiledView,
  ) {
    this.#ids = compiled.worlds.topology.nodes;
    this.#views = like ? like.#views : this.#ids.map(() => []);
    this.#tagged = like ? like.#tagged : new Map();
  }

  /** Sets the world to `vector`, until the next call. */
  at(vector: Int32Array): this {
    this.#vector = vector;
    return this;
  }

  /**
   * A new view object for the current world: a property that caches by its argument never gets the
   * same object for two worlds.
   */
  once(): CompiledView {
    return new CompiledView(this.compiled, this).at(this.#vector);
  }

  /** The view of node number `node`. */
  nodeAt(node: number): NodeView {
    return this.viewOf(node, this.#vector[node] as number);
  }

  /** The view of node number `node` in a configuration. */
  viewOf(node: number, place: number): NodeView {
    const views = this.#views[node] as NodeView[];
    const known = views[place];
    if (known) return known;
    const id = this.#ids[node] as NodeId;
    const { state, crashed } = (this.compiled.configurations[node] as ConfigurationTable).item(
      place,
    );
    const { protocol, topology } = this.compiled.worlds;
    const view = nodeViewOf(protocol, topology, id, state, crashed);
    views[place] = view;
    return view;
  }

  get nodes(): readonly NodeView[] {
    return this.#ids.map((_, index) => this.nodeAt(index));
  }

  get live(): number {
    return this.nodes.filter(({ crashed }) => !crashed).length;
  }

  node(id: NodeId): NodeView {
    const index = this.#ids.indexOf(id);
    if (index < 0) throw badInput(`The system has no node '${id}'`);
    return this.nodeAt(index);
  }

  count(tag: string): number {
    let known = this.#tagged.get(tag);
    if (!known) {
      requireTag(this.compiled.worlds.protocol, tag);
      known = this.#ids.map(() => []);
      this.#tagged.set(tag, known);
    }
    let count = 0;
    for (let node = 0; node < known.length; node++) {
      const byPlace = known[node] as number[];
      const place = this.#vector[node] as number;
      let is = byPlace[place];
      if (is === undefined) {
        is = this.nodeAt(node).tags.has(tag) ? 1 : 0;
        byPlace[place] = is;
      }
      count += is;
    }
    return count;
  }

  tagged(tag: string): readonly NodeView[] {
    requireTag(this.compiled.worlds.protocol, tag);
    return this.nodes.filter(({ tags }) => tags.has(tag));
  }

  distinct(tag: string, field: string): readonly unknown[] {
    return [...new Set(this.tagged(tag).map(({ context }) => context[field]))];
  }

  inFlight(type?: string): readonly InFlight[] {
    requireMessage(this.compiled.worlds.protocol, type);
    return this.compiled.worlds.topology.links.flatMap(({ from, to }, channel) =>
      this.compiled.encoding
        .messagesOf(this.#vector, channel)
        .filter((message) => type === undefined || message.type === type)
        .map((message) => ({ from, to, message })),
    );
  }
}
