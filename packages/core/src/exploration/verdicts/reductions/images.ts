import { badInput, type ConclaveError } from '../../../base/error.js';
import type { Property } from '../../../protocol/property.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import { differenceText, worldText } from '../../worlds/world-text.js';
import type { Renaming } from './renaming.js';
import type { RenamingSensitivity } from './renaming-sensitivity.js';

/** A property as reductions evaluate it: on vectors. */
export interface VectorProperty {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly holds: (vector: Int32Array) => boolean;
}

/** The largest number of worlds that are cached for a property. */
const mostRemembered = 100_000;

/**
 * Evaluates properties in all worlds that one represents: its images under each renaming of the
 * group.
 */
export class Images {
  /** The images of the current world that were computed so far. */
  readonly #images: Int32Array[] = [];
  #made = 0;
  readonly #world: Int32Array;
  /**
   * By property: the configurations of worlds none of whose images decides it, whatever messages
   * are in flight.
   */
  readonly #undecided = new Map<VectorProperty, Set<string>>();
  /** A renaming that changes the initial world. */
  readonly #moving: Renaming | undefined;

  /**
   * `group`: without the identity; `sensitivity`: where the properties' view records what they
   * read.
   */
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly group: readonly Renaming[],
    private readonly sensitivity: RenamingSensitivity,
  ) {
    this.#world = new Int32Array(compiled.width);
    const [first, image] = [new Int32Array(compiled.width), new Int32Array(compiled.width)];
    compiled.initial(first);
    this.#moving = group.find((renaming) => {
      renaming.apply(first, image);
      return !sameVector(first, image);
    });
  }

  /**
   * A reachable world of the class of `vector` in which the property has this value; undefined if
   * there is none. It is `vector` itself only if every world of the class has that value.
   *
   * If every renaming keeps the initial world, all images of a reachable world are reachable.
   * Otherwise a property must have one value in all images.
   *
   * @throws {ConclaveError} `bad-input` if it does not.
   */
  decidingImage(
    vector: Int32Array,
    property: VectorProperty,
    value: boolean,
  ): Int32Array | undefined {
    const { sensitivity } = this;
    sensitivity.clear();
    const isDecided = property.holds(vector) === value;
    if (!sensitivity.dependsOnNames || this.group.length === 0)
      return isDecided ? vector : undefined;
    if (isDecided && !this.#moving) return vector.slice();
    const places = vector.subarray(0, this.compiled.layout.nodes).join();
    const undecided = this.#undecidedBy(property);
    if (!isDecided && undecided.has(places)) return undefined;
    for (let index = 0; index < this.group.length; index++) {
      const image = this.#image(vector, index);
      if ((property.holds(image) === value) === isDecided) continue;
      if (this.#moving) throw this.#differs(property, vector, image, this.group[index] as Renaming);
      return image.slice();
    }
    if (isDecided) return vector;
    if (undecided.size >= mostRemembered) undecided.clear();
    if (!sensitivity.dependsOnMessages) undecided.add(places);
    return undefined;
  }

  #undecidedBy(property: VectorProperty): Set<string> {
    const known = this.#undecided.get(property) ?? new Set();
    this.#undecided.set(property, known);
    return known;
  }

  #image(vector: Int32Array, index: number): Int32Array {
    if (this.#made > 0 && !sameVector(vector, this.#world)) this.#made = 0;
    if (this.#made === 0) this.#world.set(vector);
    for (; this.#made <= index; this.#made++) {
      this.#images[this.#made] ??= new Int32Array(this.compiled.width);
      this.group[this.#made]?.apply(vector, this.#images[this.#made] as Int32Array);
    }
    return this.#images[index] as Int32Array;
  }

  #differs(
    property: VectorProperty,
    one: Int32Array,
    other: Int32Array,
    renaming: Renaming,
  ): ConclaveError {
    const text = (vector: Int32Array) =>
      `${property.holds(vector) ? 'true' : 'false'} in ${worldText(this.compiled.encoding.decode(vector))}`;
    const first = new Int32Array(this.compiled.width);
    const image = new Int32Array(this.compiled.width);
    this.compiled.initial(first);
    this.#moving?.apply(first, image);
    return badInput(
      `Property '${property.name}' has another value after renaming ${renaming.name}: ${text(one)}, but ${text(other)}; and the symmetry changes the initial world: ` +
        `renaming ${this.#moving?.name}, it has ${differenceText(this.compiled.encoding.decode(first), this.compiled.encoding.decode(image))}`,
      "Let all nodes that the symmetry exchanges start alike, write properties that name no nodes, or leave out reduce: 'symmetry'.",
    );
  }
}

/** Whether two vectors are equal. */
export const sameVector = (one: Int32Array, other: Int32Array): boolean => {
  for (let slot = 0; slot < one.length; slot++) if (one[slot] !== other[slot]) return false;
  return true;
};
