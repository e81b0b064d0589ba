import type { KernelWorlds } from '../../search/kernel/kernel-worlds.js';
import type { Watch } from '../../search/limits/watch.js';

/** The time of a predicate, measured in table look-ups. */
const weight = 32;

/** A predicate of worlds, evaluated when first needed. */
export class Answers {
  /** By world: 0 unknown, 1 true, 2 false. */
  readonly #known: Uint8Array;

  /** `vector` is overwritten by each evaluation. */
  constructor(
    private readonly store: KernelWorlds,
    private readonly vector: Int32Array,
    private readonly holds: (vector: Int32Array) => boolean,
    private readonly watch?: Watch,
  ) {
    this.#known = new Uint8Array(store.size);
  }

  of(world: number): boolean {
    const known = this.#known[world] as number;
    if (known !== 0) return known === 1;
    this.watch?.tick(weight);
    this.store.read(world, this.vector);
    const holds = this.holds(this.vector);
    this.#known[world] = holds ? 1 : 2;
    return holds;
  }
}
