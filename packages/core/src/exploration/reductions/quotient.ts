import { ConclaveError } from '../../protocol/error.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import type { Fault, Visit } from '../compiled/expander.js';
import type { Compiled } from '../compiled/system.js';
import type { CompiledProperty } from '../verdicts/judge.js';
import type { World } from '../worlds/world.js';
import { Images, same } from './images.js';
import { LocalSymmetry } from './local-symmetry.js';
import { QuotientCheck } from './quotient-check.js';
import { Renaming } from './renaming.js';
import type { RenamingSensitivity } from './renaming-sensitivity.js';
import { Representatives } from './representatives.js';
import { symmetryOf } from './symmetry.js';

export interface QuotientOptions {
  /** Whether worlds that differ by a symmetry of the protocol are taken for the same. */
  readonly symmetry: boolean;
  /** Worlds that it makes the same are taken for the same. */
  readonly normalise: ((world: World) => World) | undefined;
  /** What is asked of the worlds; it must not tell those apart that `normalise` makes the same. */
  readonly properties: readonly CompiledProperty[];
  /** Where the view of the claims notes what they ask for. */
  readonly sensitivity: RenamingSensitivity;
}

/** A run of real worlds that a run of representatives stands for. */
export interface RealRun {
  readonly actions: readonly number[];
  /** What is wrong with a step in its last world, if any breaks the rules. */
  readonly error: ConclaveError | undefined;
}

/** So many worlds are held against their equivalents first, and again each time their number has doubled. */
const samples = 32;

/**
 * A system in which each world is replaced by the representative of its class before it is visited. A symmetry is checked for everything that
 * nodes were seen to do; `normalise`, and a symmetry that goes with it, for worlds sampled over the whole search.
 */
export class Quotient implements Compiled {
  readonly width: number;
  /** What a `holds` trusts beyond what was looked at. */
  readonly assumptions: readonly string[];
  readonly #representatives: Representatives;
  readonly #images: Images;
  /** One of both: a symmetry that holds only for normalised worlds is none of what nodes do. */
  readonly #symmetry: LocalSymmetry | undefined;
  readonly #check: QuotientCheck | undefined;
  readonly #next: Int32Array;
  #expanded = 0;

  /**
   * `inner`: the system, or one that leaves out steps of it.
   *
   * @throws {ConclaveError} as {@link symmetryOf}; from then on, `bad-protocol` for a symmetry that is none, and `bad-input` where sampling shows
   * that `normalise` makes a difference.
   */
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly inner: Compiled,
    { symmetry, normalise, properties, sensitivity }: QuotientOptions,
  ) {
    const { protocol, topology } = compiled.worlds;
    const { generators, group } = symmetry ? symmetryOf(protocol, topology) : { generators: [], group: [] };
    this.width = compiled.width;
    this.assumptions = normalise
      ? [
          ...(symmetry ? ['the symmetry that the protocol declares, held against a sample of the worlds'] : []),
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
    if ((count & (count - 1)) === 0) this.#symmetry?.check(); // early, and again each time their number has doubled
    if (this.#check && isSampled(count)) this.#check.around(state);
    const replaced = (action: number) => {
      this.#representatives.of(this.#next, into);
      return visit(action);
    };
    this.inner.expand(state, this.#next, replaced, fault);
  }

  /**
   * A world that `vector` stands for and for which `claim` is `value`; undefined if there is none. It is `vector` itself only if any of them would do.
   *
   * @throws {ConclaveError} as {@link Images.decidingImage}.
   */
  decidingImage(vector: Int32Array, claim: CompiledProperty, value: boolean): Int32Array | undefined {
    return this.#images.decidingImage(vector, claim, value);
  }

  /**
   * To be called when all has been searched: only then everything that nodes do was met.
   *
   * @throws {ConclaveError} `bad-protocol` for a declared symmetry that is none.
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
   * The real run for one of representatives: from the real first world, each time the first action that leads into the class where the
   * representative's went. `image`: the world of the last class in which it is to end, as {@link decidingImage} has found it; then the run is renamed.
   *
   * @throws {ConclaveError} `bad-protocol` if there is none, or its end differs from its representative in what can happen at all, and
   * `bad-input` if it does for a property: then worlds were taken for the same that are not.
   */
  realRun(actions: readonly number[], image?: Int32Array): RealRun {
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
        return same(found, wanted);
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
    if (end.isAtRest !== itsEnd.isAtRest || !end.error !== !itsEnd.error) throw this.#unreal();
    return { actions: taken, error: end.error };
  }

  /** The worlds of a run renamed such that the last one becomes `end`, or one with its normal form. */
  #renamedTo(end: Int32Array, worlds: readonly Int32Array<ArrayBuffer>[]): readonly Int32Array<ArrayBuffer>[] {
    const [last, normal, image] = [worlds.at(-1) ?? end, new Int32Array(this.width), new Int32Array(this.width)];
    this.#representatives.normalised(end, normal);
    this.#representatives.normalised(last, image);
    if (same(image, normal)) return worlds;
    for (const renaming of this.#representatives.renamings) {
      renaming.apply(last, image);
      this.#representatives.normalised(image, image);
      if (!same(image, normal)) continue;
      return worlds.map((world) => {
        const renamed = new Int32Array(this.width);
        renaming.apply(world, renamed);
        return renamed;
      });
    }
    throw this.#unreal();
  }

  /** The actions that lead through these worlds, from the real first one on. */
  #stepsThrough(worlds: readonly Int32Array[]): readonly number[] {
    const [first, into] = [new Int32Array(this.width), new Int32Array(this.width)];
    this.compiled.initial(first);
    if (!same(first, worlds[0] ?? into)) throw this.#unreal();
    return worlds.slice(1).map((world, index) => {
      const step = this.#first(worlds[index] as Int32Array, into, () => same(this.#next, world));
      if (step < 0) throw this.#unreal();
      return step;
    });
  }

  #unreal(): ConclaveError {
    return new ConclaveError(
      'bad-protocol',
      `Protocol '${this.compiled.worlds.protocol.name}': a run of representatives is the run of no real worlds`,
      'Leave out reduce and normalise: worlds were taken for the same that are not.',
    );
  }

  /** Whether nothing can happen in a world, and what is wrong with a step in it. */
  #endAt(vector: Int32Array): { readonly isAtRest: boolean; readonly error: ConclaveError | undefined } {
    let isAtRest = true;
    let error: ConclaveError | undefined;
    const visit = () => {
      isAtRest = false;
      return false;
    };
    this.compiled.expand(vector, this.#next, visit, (_, step) => {
      isAtRest = false;
      error ??= this.compiled.errorOf(step);
    });
    return { isAtRest, error };
  }

  /** The first action out of `state` that is right, and in `into` where it leads; −1 if there is none. The successor stands in `#next`. */
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

/** The first {@link samples}, then as many between each power of two and the next, evenly. */
function isSampled(count: number): boolean {
  return count < samples || count % 2 ** (Math.floor(Math.log2(count)) - Math.log2(samples) + 1) === 0;
}
