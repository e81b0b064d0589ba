import { badInput } from '../base/error.js';
import type { NodeId } from '../protocol/node.js';
import type { InFlight, NodeView, SystemView } from '../protocol/property.js';
import type { Network } from './network.js';

/** How often each value of one field occurs among the nodes that carry one tag. */
interface Values {
  readonly tag: string;
  readonly field: string;
  readonly counts: Map<unknown, number>;
  /** By place of the node. */
  readonly of: Map<number, unknown>;
}

/**
 * The running system as properties see it. Tags are counted as nodes change, so that a count is
 * cheap.
 */
export class LiveSystem implements SystemView {
  /** The places of the nodes that carry a tag. */
  readonly #byTag = new Map<string, Set<number>>();
  readonly #values = new Map<string, Values>();
  readonly #crashed = new Set<number>();

  constructor(
    private readonly network: Network,
    private readonly size: number,
  ) {}

  get nodes(): readonly NodeView[] {
    return this.network.views;
  }

  node(id: NodeId): NodeView {
    const place = this.network.placeOf(id);
    if (place === undefined) throw badInput(`The system has no node '${id}'`);
    return this.network.view(place);
  }

  count(tag: string): number {
    return this.#byTag.get(tag)?.size ?? 0;
  }

  tagged(tag: string): readonly NodeView[] {
    const found = [...(this.#byTag.get(tag) ?? [])];
    if (found.length > 1) found.sort((a, b) => a - b);
    return found.map((node) => this.network.view(node));
  }

  get live(): number {
    return this.size - this.#crashed.size;
  }

  /** Whether {@link changed} is to be called after each step, even if the tags stay. */
  get followsFields(): boolean {
    return this.#values.size > 0;
  }

  distinct(tag: string, field: string): readonly unknown[] {
    const key = `${tag} ${field}`;
    const known = this.#values.get(key);
    if (known) return [...known.counts.keys()];
    const values: Values = { tag, field, counts: new Map(), of: new Map() };
    this.#values.set(key, values);
    for (const [place, node] of this.nodes.entries()) count(values, place, node);
    return [...values.counts.keys()];
  }

  inFlight(type?: string): readonly InFlight[] {
    return [...this.network.inFlight()].filter(
      ({ message }) => type === undefined || message.type === type,
    );
  }

  /** Records a step, a crash or a restart of `node`, which had the tags `before`. */
  changed(node: number, before: ReadonlySet<string> | undefined, after: ReadonlySet<string>): void {
    if (before !== after) this.#retag(node, before, after);
    if (this.network.isCrashed(node)) this.#crashed.add(node);
    else if (this.#crashed.size > 0) this.#crashed.delete(node);
    for (const values of this.#values.values()) count(values, node, this.network.view(node));
  }

  #retag(node: number, before: ReadonlySet<string> | undefined, after: ReadonlySet<string>): void {
    if (before) for (const tag of before) if (!after.has(tag)) this.#byTag.get(tag)?.delete(node);
    for (const tag of after) {
      const nodes = this.#byTag.get(tag) ?? new Set();
      this.#byTag.set(tag, nodes.add(node));
    }
  }
}

/** Counts `node` as it is now, instead of as it was. */
function count({ tag, field, counts, of }: Values, place: number, node: NodeView): void {
  if (of.has(place)) {
    const old = of.get(place);
    const left = (counts.get(old) ?? 1) - 1;
    if (left === 0) counts.delete(old);
    else counts.set(old, left);
    of.delete(place);
  }
  if (!node.tags.has(tag)) return;
  const value = node.context[field];
  of.set(place, value);
  counts.set(value, (counts.get(value) ?? 0) + 1);
}
