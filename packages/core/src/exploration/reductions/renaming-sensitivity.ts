import type { NodeId } from '../../protocol/node.js';
import type { InFlight, NodeView, SystemView } from '../../protocol/property.js';

/** What one evaluation of a property has asked for, as far as a renaming of the nodes may change the answer. */
export class RenamingSensitivity {
  /** Whether it asked for more than numbers: which node, which message, which value. */
  dependsOnNames = false;
  /** Whether it asked for anything about the messages on their way. */
  dependsOnMessages = false;

  clear(): void {
    this.dependsOnNames = false;
    this.dependsOnMessages = false;
  }
}

/**
 * A view that notes what it is asked for. How many nodes there are, are live or carry a tag, how many messages are on their way, how many different
 * values there are: a renaming changes none of these, so a property that asked for nothing else has the same value in each image of the world.
 */
export class RenamingSensitiveView implements SystemView {
  constructor(
    private readonly view: SystemView,
    private readonly asked: RenamingSensitivity,
  ) {}

  get nodes(): readonly NodeView[] {
    return this.#counted(this.view.nodes);
  }

  get live(): number {
    return this.view.live;
  }

  node(id: NodeId): NodeView {
    this.asked.dependsOnNames = true;
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
    if (values.some((value) => typeof value === 'object' && value !== null)) this.asked.dependsOnNames = true; // not told apart by what they are
    return this.#counted(values);
  }

  inFlight(type?: string): readonly InFlight[] {
    this.asked.dependsOnMessages = true;
    return this.#counted(this.view.inFlight(type));
  }

  /** The same list, which notes when it is asked for more than its length. */
  #counted<T>(list: readonly T[]): readonly T[] {
    const { asked } = this;
    return new Proxy(list, {
      get: (target, key) => {
        if (key !== 'length') asked.dependsOnNames = true;
        return Reflect.get(target, key);
      },
      getOwnPropertyDescriptor: (target, key) => {
        if (key !== 'length') asked.dependsOnNames = true;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
  }
}
