import { ConclaveError } from '../../protocol/error.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import type { CompiledProperty } from '../verdicts/judge.js';
import { differenceText, worldText } from '../worlds/world-text.js';
import type { Renaming } from './renaming.js';
import type { RenamingSensitivity } from './renaming-sensitivity.js';

/** So many worlds are remembered for a claim at one time. */
const mostRemembered = 100_000;

/** Asks claims of all worlds that one stands for: its images under each renaming of the group. */
export class Images {
  /** The images of the world at hand, as far as they were asked for. */
  readonly #images: Int32Array[] = [];
  #made = 0;
  readonly #world: Int32Array;
  /** By claim: what is at the nodes of worlds none of whose images decides it, whatever is on its way. */
  readonly #undecided = new Map<CompiledProperty, Set<string>>();
  /** A renaming under which the first world is another one. */
  readonly #moving: Renaming | undefined;

  /** `group`: but for the identity; `asked`: where the claims' view notes what it is asked for. */
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly group: readonly Renaming[],
    private readonly asked: RenamingSensitivity,
  ) {
    this.#world = new Int32Array(compiled.width);
    const [first, image] = [new Int32Array(compiled.width), new Int32Array(compiled.width)];
    compiled.initial(first);
    this.#moving = group.find((renaming) => {
      renaming.apply(first, image);
      return !same(first, image);
    });
  }

  /**
   * A world of the class of `vector` that can be reached, and for which `claim` is `value`; undefined if there is none. It is `vector` itself only
   * if any world of the class would do.
   *
   * If every renaming leaves the first world as it is, then all images of a reached world are reached. Else a claim must be the same for all
   * of them.
   *
   * @throws {ConclaveError} `bad-input` where it is not.
   */
  decidingImage(vector: Int32Array, claim: CompiledProperty, value: boolean): Int32Array | undefined {
    const { asked } = this;
    asked.clear();
    const isDecided = claim.holds(vector) === value;
    if (!asked.dependsOnNames || this.group.length === 0) return isDecided ? vector : undefined;
    if (isDecided && !this.#moving) return vector.slice();
    const places = vector.subarray(0, this.compiled.layout.nodes).join();
    const undecided = this.#undecidedBy(claim);
    if (!isDecided && undecided.has(places)) return undefined;
    for (let index = 0; index < this.group.length; index++) {
      const image = this.#image(vector, index);
      if ((claim.holds(image) === value) === isDecided) continue;
      if (this.#moving) throw this.#differs(claim, vector, image, this.group[index] as Renaming);
      return image.slice();
    }
    if (isDecided) return vector;
    if (undecided.size >= mostRemembered) undecided.clear();
    if (!asked.dependsOnMessages) undecided.add(places);
    return undefined;
  }

  #undecidedBy(claim: CompiledProperty): Set<string> {
    const known = this.#undecided.get(claim) ?? new Set();
    this.#undecided.set(claim, known);
    return known;
  }

  #image(vector: Int32Array, index: number): Int32Array {
    if (this.#made > 0 && !same(vector, this.#world)) this.#made = 0;
    if (this.#made === 0) this.#world.set(vector);
    for (; this.#made <= index; this.#made++) {
      this.#images[this.#made] ??= new Int32Array(this.compiled.width);
      this.group[this.#made]?.apply(vector, this.#images[this.#made] as Int32Array);
    }
    return this.#images[index] as Int32Array;
  }

  #differs(claim: CompiledProperty, one: Int32Array, other: Int32Array, renaming: Renaming): ConclaveError {
    const text = (vector: Int32Array) => `${claim.holds(vector) ? 'true' : 'false'} in ${worldText(this.compiled.encoding.decode(vector))}`;
    const first = new Int32Array(this.compiled.width);
    const image = new Int32Array(this.compiled.width);
    this.compiled.initial(first);
    this.#moving?.apply(first, image);
    return new ConclaveError(
      'bad-input',
      `Property '${claim.name}' is not the same after renaming ${renaming.name}: ${text(one)}, but ${text(other)}; and the system does not begin alike: ` +
        `renaming ${this.#moving?.name} its first world has ${differenceText(this.compiled.encoding.decode(first), this.compiled.encoding.decode(image))}`,
      "Let the system begin alike for all nodes that the symmetry exchanges, ask nothing of single nodes, or leave out reduce: 'symmetry'.",
    );
  }
}

/** Whether two worlds are the same. */
export const same = (one: Int32Array, other: Int32Array): boolean => {
  for (let slot = 0; slot < one.length; slot++) if (one[slot] !== other[slot]) return false;
  return true;
};
