import { ConclaveError } from '../../../base/error.js';
import type { Fault, Visit } from '../../search/kernel/kernel.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { System } from '../../search/traversal/system.js';
import type { World } from '../../worlds/world.js';
import { Images, sameVector, type VectorProperty } from './images.js';
import { LocalSymmetry } from './local-symmetry.js';
import { QuotientCheck } from './quotient-check.js';
import { Renaming } from './renaming.js';
import type { RenamingSensitivity } from './renaming-sensitivity.js';
import { Representatives } from './representatives.js';
import { symmetryOf } from './symmetry.js';

export interface QuotientOptions {
  /** Whether worlds that differ by a symmetry of the protocol count as one. */
  readonly symmetry: boolean;
  /** Worlds with one normal form count as one. */
  readonly normalise: ((world: World) => World) | undefined;
  /** The properties; they must not distinguish worlds with one normal form. */
  readonly properties: readonly VectorProperty[];
  /** Where the view of the properties records what they read. */
  readonly sensitivity: RenamingSensitivity;
}

/**
 * How many worlds are compared with their equivalents first, and again after each doubling of their
 * number.
 */
const samples = 32;

/**
 * The quotient of a system: each world is replaced by the representative of its class. A symmetry
 * is checked for every step that nodes were seen to take; `normalise`, and a symmetry together with
 * it, for a sample of the worlds.
 */
export class Quotient implements System {
  readonly width: number;
  /** What a `holds` assumes. */
  readonly assumptions: readonly string[];
  readonly #representatives: Representatives;
  readonly #images: Images;
  /** One of the two: a symmetry of normalised worlds need not be one of the nodes' steps. */
  readonly #symmetry: LocalSymmetry | undefined;
  readonly #check: QuotientCheck | undefined;
  readonly #next: Int32Array;
  #expanded = 0;

  /**
   * `inner`: the system, or a reduction of it.
   *
   * @throws {ConclaveError} as {@link symmetryOf}; later, `bad-protocol` for a symmetry that is not
   * one, and `bad-input` if a sample shows that `normalise` changes what can happen.
   */
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly inner: System,
    { symmetry, normalise, properties, sensitivity }: QuotientOptions,
  ) {
    const { protocol, topology } = compiled.worlds;
    const { generators, group } = symmetry
      ? symmetryOf(protocol, topology)
      : { generators: [], group: [] };
    this.width = compiled.width;
    this.assumptions = normalise
      ? [
          ...(symmetry
            ? ['the symmetry that the protocol declares, held against a sample of the worlds']
            : []),
          'that normalise changes nothing that can happen, held against a sample of the worlds',
        ]
      : [];
    this.#representatives = new Representatives(compiled, group, normalise);
    this.#images = new Images(compiled, this.#representatives.renamings, sensitivity);
    if (normalise) {
      const renamings = generators.map((generator) => new Renaming(compiled, generator));
      this.#check = new QuotientCheck(compiled, this.#representatives, renamings, properties);
    } else this.#symmetry = new LocalSymmetry(compiled, generators);
    this.#next = new Int32Array(compiled.width);
  }

  get asks(): boolean {
    return this.inner.asks === true;
  }

  initial(into: Int32Array): void {
    this.#expanded = 0;
    this.compiled.initial(into);
    this.#check?.walks(into.slice());
    this.#representatives.of(into, into);
  }

  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    const count = this.#expanded++;
    // early, and again each time their number has doubled
    if ((count & (count - 1)) === 0) this.#symmetry?.check();
    if (this.#check && isSampled(count)) this.#check.around(state);
    const replaced = (action: number) => {
      this.#representatives.of(this.#next, into);
      return visit(action);
    };
    this.inner.expand(state, this.#next, replaced, fault);
  }

  /**
   * A world that `vector` stands for and for which `property` is `value`; undefined if there is none.
   * It is `vector` itself only if any of them would do.
   *
   * @throws {ConclaveError} as {@link Images.decidingImage}.
   */
  decidingImage(
    vector: Int32Array,
    property: VectorProperty,
    value: boolean,
  ): Int32Array | undefined {
    return this.#images.decidingImage(vector, property, value);
  }

  /**
   * To be called after a complete search: only then are all steps of nodes known.
   *
   * @throws {ConclaveError} `bad-protocol` for a declared symmetry that is not one.
   */
  confirm(): void {
    this.#symmetry?.check();
  }

  errorOf(step: number): ConclaveError {
    return this.inner.errorOf(step);
  }

  fairness(action: number): number {
    return this.inner.fairness(action);
  }

  /**
   * The actions of the real run for a run of representatives: from the real initial world, always
   * the first action into the class of the next representative. `image`: the world in the last
   * class where it should end, as {@link decidingImage} returned it; then the run is renamed.
   *
   * @throws {ConclaveError} `bad-protocol` if there is no such run, or if its end and the
   * representative differ in whether an action is possible; `bad-input` if they differ in a
   * property.
   */
  realRun(actions: readonly number[], image?: Int32Array): readonly number[] {
    const standing = new Int32Array(this.width);
    const target = new Int32Array(this.width);
    const wanted = new Int32Array(this.width);
    const found = new Int32Array(this.width);
    let real = new Int32Array(this.width);
    this.compiled.initial(real);
    this.#representatives.of(real, standing);
    const worlds = [real];
    let taken: readonly number[] = actions.map((action) => {
      this.#first(standing, target, (number) => number === action);
      this.#representatives.of(target, wanted);
      const step = this.#first(real, target, () => {
        this.#representatives.of(this.#next, found);
        return sameVector(found, wanted);
      });
      if (step < 0) throw this.#unreal();
      real = target.slice();
      worlds.push(real);
      standing.set(wanted);
      return step;
    });
    if (image || this.#check) {
      const end = image ?? standing;
      const renamed = this.#renamedTo(end, worlds);
      this.#check?.agree(renamed.at(-1) ?? real, end);
      if (image) {
        taken = this.#stepsThrough(renamed);
        real = renamed.at(-1) ?? real;
      }
    }
    const [end, itsEnd] = [this.#endAt(real), this.#endAt(standing)];
    if (end.isAtRest !== itsEnd.isAtRest || end.fails !== itsEnd.fails) throw this.#unreal();
    return taken;
  }

  /** The worlds of a run, renamed such that the last one has the normal form of `end`. */
  #renamedTo(
    end: Int32Array,
    worlds: readonly Int32Array<ArrayBuffer>[],
  ): readonly Int32Array<ArrayBuffer>[] {
    const [last, normal, image] = [
      worlds.at(-1) ?? end,
      new Int32Array(this.width),
      new Int32Array(this.width),
    ];
    this.#representatives.normalised(end, normal);
    this.#representatives.normalised(last, image);
    if (sameVector(image, normal)) return worlds;
    for (const renaming of this.#representatives.renamings) {
      renaming.apply(last, image);
      this.#representatives.normalised(image, image);
      if (!sameVector(image, normal)) continue;
      return worlds.map((world) => {
        const renamed = new Int32Array(this.width);
        renaming.apply(world, renamed);
        return renamed;
      });
    }
    throw this.#unreal();
  }

  /** The actions that lead through these worlds, from the real initial one. */
  #stepsThrough(worlds: readonly Int32Array[]): readonly number[] {
    const [first, into] = [new Int32Array(this.width), new Int32Array(this.width)];
    this.compiled.initial(first);
    if (!sameVector(first, worlds[0] ?? into)) throw this.#unreal();
    return worlds.slice(1).map((world, index) => {
      const step = this.#first(worlds[index] as Int32Array, into, () =>
        sameVector(this.#next, world),
      );
      if (step < 0) throw this.#unreal();
      return step;
    });
  }

  #unreal(): ConclaveError {
    return new ConclaveError(
      'bad-protocol',
      `Protocol '${this.compiled.worlds.protocol.name}': a run of representatives has no real run`,
      'Leave out reduce and normalise: they merge worlds that are not equivalent.',
    );
  }

  /** Whether a world is quiescent, and whether an action in it fails. */
  #endAt(vector: Int32Array): { readonly isAtRest: boolean; readonly fails: boolean } {
    let isAtRest = true;
    let fails = false;
    const visit = () => {
      isAtRest = false;
      return false;
    };
    this.compiled.expand(vector, this.#next, visit, () => {
      isAtRest = false;
      fails = true;
    });
    return { isAtRest, fails };
  }

  /**
   * The first action of `state` for which `isRight`, with its target in `into`; −1 if there is
   * none. `#next` is the successor during the call.
   */
  #first(state: Int32Array, into: Int32Array, isRight: (action: number) => boolean): number {
    let first = -1;
    const visit = (action: number) => {
      if (first >= 0 || !isRight(action)) return false;
      first = action;
      into.set(this.#next);
      return false;
    };
    this.compiled.expand(state, this.#next, visit, () => {});
    return first;
  }
}

/**
 * True for the first {@link samples}, then for as many between each power of two and the next,
 * evenly.
 */
function isSampled(count: number): boolean {
  return (
    count < samples || count % 2 ** (Math.floor(Math.log2(count)) - Math.log2(samples) + 1) === 0
  );
}
