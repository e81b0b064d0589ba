import type { NodeView } from '../../../protocol/property.js';
import type { CompiledView } from '../../search/tables/compiled-view.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { Projection } from '../../search/traversal/kernel-search.js';
import { canonical } from '../../worlds/canonical.js';
import type { Reads } from './reads.js';

/**
 * What the properties have read of worlds, as classes of configurations and contents. A property is
 * a function of what it reads, so it has the same value in two worlds that are equal in everything
 * it reads in one of them.
 */
export class Seen implements Projection {
  readonly #classes = new Map<string, number>();
  #types: ReadonlySet<string | undefined> = new Set();
  #projection: (node: NodeView) => string = () => '';

  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly view: CompiledView,
    private readonly reads: Reads,
  ) {}

  get size(): number {
    return this.reads.size + this.reads.types.size;
  }

  get seesMessages(): boolean {
    return this.reads.inFlight;
  }

  renew(): void {
    this.#classes.clear();
    this.#projection = this.reads.projection();
    this.#types = new Set(this.reads.types);
  }

  nodeClass(node: number, configuration: number): number {
    if (this.reads.identities) return configuration;
    return this.#class(this.#projection(this.view.viewOf(node, configuration)));
  }

  contentClass(content: number): number {
    const types = this.#types;
    const messages = this.compiled.encoding
      .messagesIn(content)
      .filter(({ type }) => types.has(undefined) || types.has(type));
    return this.#class(canonical(messages));
  }

  #class(text: string): number {
    const known = this.#classes.get(text) ?? this.#classes.size;
    this.#classes.set(text, known);
    return known;
  }
}
