import type { NodeActor } from '../protocol/actor.js';
import { badInput } from '../protocol/error.js';
import type { NodeId } from '../protocol/node.js';
import type { InFlight, NodeView, SystemView } from '../protocol/property.js';

/** How often each value of one field occurs among the nodes that carry one tag. */
interface Values {
  readonly tag: string;
  readonly field: string;
  readonly counts: Map<unknown, number>;
  readonly of: Map<NodeActor, unknown>;
}

/** The running system as properties see it. Tags are counted as nodes change, so that a count is cheap. */
export class LiveSystem implements SystemView {
  readonly #byId = new Map<NodeId, NodeActor>();
  readonly #byTag = new Map<string, Set<NodeActor>>();
  readonly #values = new Map<string, Values>();
  readonly #crashed = new Set<NodeActor>();
  readonly #index: ReadonlyMap<NodeId, number>;

  constructor(
    readonly nodes: readonly NodeActor[],
    private readonly messages: () => Iterable<InFlight>,
  ) {
    for (const actor of nodes) this.#byId.set(actor.id, actor);
    this.#index = new Map(nodes.map(({ id }, index) => [id, index]));
  }

  node(id: NodeId): NodeView {
    const node = this.#byId.get(id);
    if (!node) throw badInput(`The system has no node '${id}'`);
    return node;
  }

  count(tag: string): number {
    return this.#byTag.get(tag)?.size ?? 0;
  }

  tagged(tag: string): readonly NodeView[] {
    const found = [...(this.#byTag.get(tag) ?? [])];
    return found.length < 2 ? found : found.sort((a, b) => (this.#index.get(a.id) ?? 0) - (this.#index.get(b.id) ?? 0));
  }

  get live(): number {
    return this.nodes.length - this.#crashed.size;
  }

  distinct(tag: string, field: string): readonly unknown[] {
    const key = `${tag} ${field}`;
    const known = this.#values.get(key);
    if (known) return [...known.counts.keys()];
    const values: Values = { tag, field, counts: new Map(), of: new Map() };
    this.#values.set(key, values);
    for (const node of this.nodes) count(values, node);
    return [...values.counts.keys()];
  }

  inFlight(type?: string): readonly InFlight[] {
    return [...this.messages()].filter(({ message }) => type === undefined || message.type === type);
  }

  /** Records a step, a crash or a restart of `node`, which had the tags `before`. */
  changed(node: NodeActor, before: ReadonlySet<string> | undefined): void {
    if (before !== node.tags) this.#retag(node, before, node.tags);
    if (node.crashed) this.#crashed.add(node);
    else if (this.#crashed.size > 0) this.#crashed.delete(node);
    for (const values of this.#values.values()) count(values, node);
  }

  #retag(node: NodeActor, before: ReadonlySet<string> | undefined, after: ReadonlySet<string>): void {
    if (before) for (const tag of before) if (!after.has(tag)) this.#byTag.get(tag)?.delete(node);
    for (const tag of after) {
      const nodes = this.#byTag.get(tag) ?? new Set();
      this.#byTag.set(tag, nodes.add(node));
    }
  }
}

/** Counts `node` as it is now, instead of as it was. */
function count({ tag, field, counts, of }: Values, node: NodeActor): void {
  if (of.has(node)) {
    const old = of.get(node);
    const left = (counts.get(old) ?? 1) - 1;
    if (left === 0) counts.delete(old);
    else counts.set(old, left);
    of.delete(node);
  }
  if (!node.tags.has(tag)) return;
  const value = node.context[field];
  of.set(node, value);
  counts.set(value, (counts.get(value) ?? 0) + 1);
}
