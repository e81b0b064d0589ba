import type { NodeActor } from '../protocol/actor.js';
import { ConclaveError } from '../protocol/error.js';
import type { NodeId } from '../protocol/node.js';
import type { InFlight, NodeView, SystemView } from '../protocol/property.js';

/** The running system as properties see it; tags are counted as nodes change, so that a count costs nothing. */
export class LiveSystem implements SystemView {
  readonly nodes: readonly NodeView[];
  readonly #byId = new Map<NodeId, NodeActor>();
  readonly #byTag = new Map<string, Set<NodeActor>>();
  readonly #place: ReadonlyMap<NodeId, number>;

  constructor(
    actors: readonly NodeActor[],
    private readonly onTheWay: () => Iterable<InFlight>,
  ) {
    this.nodes = actors;
    for (const actor of actors) this.#byId.set(actor.id, actor);
    this.#place = new Map(actors.map(({ id }, index) => [id, index]));
  }

  node(id: NodeId): NodeView {
    const node = this.#byId.get(id);
    if (!node) throw new ConclaveError('bad-input', `The system has no node '${id}'`);
    return node;
  }

  count(tag: string): number {
    return this.#byTag.get(tag)?.size ?? 0;
  }

  tagged(tag: string): readonly NodeView[] {
    const found = [...(this.#byTag.get(tag) ?? [])];
    return found.length < 2 ? found : found.sort((a, b) => (this.#place.get(a.id) ?? 0) - (this.#place.get(b.id) ?? 0));
  }

  inFlight(type?: string): readonly InFlight[] {
    return [...this.onTheWay()].filter(({ message }) => type === undefined || message.type === type);
  }

  /** Takes note that `node` now carries `after` where it carried `before`. */
  retag(node: NodeActor, before: ReadonlySet<string> | undefined, after: ReadonlySet<string>): void {
    if (before) for (const tag of before) if (!after.has(tag)) this.#byTag.get(tag)?.delete(node);
    for (const tag of after) {
      const nodes = this.#byTag.get(tag) ?? new Set();
      this.#byTag.set(tag, nodes.add(node));
    }
  }
}
