import type { NodeId } from '../../../protocol/node.js';
import type { InFlight, NodeView, SystemView } from '../../../protocol/property.js';

/**
 * What one evaluation of a property has read, as far as a renaming of the nodes may change its
 * value.
 */
export class RenamingSensitivity {
  /** Whether it read more than counts: which node, which message, which value. */
  dependsOnNames = false;
  /** Whether it read messages in flight. */
  dependsOnMessages = false;

  clear(): void {
    this.dependsOnNames = false;
    this.dependsOnMessages = false;
  }
}

/**
 * A view that records what is read. A renaming changes no counts: of nodes, live nodes, nodes with
 * a tag, messages in flight, distinct values. So a property that reads only counts has the same
 * value in each image of the world.
 */
export class RenamingSensitiveView implements SystemView {
  constructor(
    private readonly view: SystemView,
    private readonly sensitivity: RenamingSensitivity,
  ) {}

  get nodes(): readonly NodeView[] {
    return this.#counted(this.view.nodes);
  }

  get live(): number {
    return this.view.live;
  }

  node(id: NodeId): NodeView {
    this.sensitivity.dependsOnNames = true;
    return this.view.node(id);
  }

  count(tag: string): number {
    return this.view.count(tag);
  }

  tagged(tag: string): readonly NodeView[] {
    return this.#counted(this.view.tagged(tag));
  }

  distinct(tag: string, field: string): readonly unknown[] {
    const values = this.view.distinct(tag, field);
    if (values.some((value) => typeof value === 'object' && value !== null))
      this.sensitivity.dependsOnNames = true; // compared by identity, not by their data
    return this.#counted(values);
  }

  inFlight(type?: string): readonly InFlight[] {
    this.sensitivity.dependsOnMessages = true;
    return this.#counted(this.view.inFlight(type));
  }

  /** The same list; it records any access but to its length. */
  #counted<T>(list: readonly T[]): readonly T[] {
    const { sensitivity } = this;
    return new Proxy(list, {
      get: (target, key) => {
        if (key !== 'length') sensitivity.dependsOnNames = true;
        return Reflect.get(target, key);
      },
      getOwnPropertyDescriptor: (target, key) => {
        if (key !== 'length') sensitivity.dependsOnNames = true;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
  }
}
