import type { Permutation } from '../../../protocol/symmetry.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { World } from '../../worlds/world.js';
import { Renaming } from './renaming.js';

/** Computes the representative of each world: the least of its normalised images. */
export class Representatives {
  /** The group, without the identity. */
  readonly renamings: readonly Renaming[];
  readonly #candidate: Int32Array;
  readonly #image: Int32Array;

  /** `group`: the identity first. */
  constructor(
    private readonly compiled: CompiledWorlds,
    group: readonly Permutation[],
    private readonly normalise: ((world: World) => World) | undefined,
  ) {
    this.renamings = group.slice(1).map((permutation) => new Renaming(compiled, permutation));
    this.#candidate = new Int32Array(compiled.width);
    this.#image = new Int32Array(compiled.width);
  }

  /** Writes the representative of `vector`, which may be `into` itself. */
  of(vector: Int32Array, into: Int32Array): void {
    const candidate = this.#candidate;
    candidate.set(vector);
    this.normalised(candidate, into);
    for (const renaming of this.renamings) {
      if (this.normalise) {
        renaming.apply(candidate, this.#image);
        this.normalised(this.#image, this.#image);
        if (isLess(this.#image, into)) into.set(this.#image);
      } else takeLesser(renaming, candidate, into);
    }
  }

  /** Writes the normalised form of `vector`, which may be `into` itself. */
  normalised(vector: Int32Array, into: Int32Array): void {
    if (this.normalise)
      this.compiled.encoding.encode(this.normalise(this.compiled.encoding.decode(vector)), into);
    else into.set(vector);
  }
}

function isLess(one: Int32Array, other: Int32Array): boolean {
  for (let slot = 0; slot < one.length; slot++)
    if (one[slot] !== other[slot]) return (one[slot] as number) < (other[slot] as number);
  return false;
}

/**
 * Writes the renamed `vector` into `least` if it is less; usually the first slots show that it is
 * not.
 */
function takeLesser(renaming: Renaming, vector: Int32Array, least: Int32Array): void {
  for (let slot = 0; slot < least.length; slot++) {
    const number = renaming.slot(vector, slot);
    const before = least[slot] as number;
    if (number > before) return;
    if (number === before) continue;
    least[slot] = number;
    for (let rest = slot + 1; rest < least.length; rest++)
      least[rest] = renaming.slot(vector, rest);
    return;
  }
}
