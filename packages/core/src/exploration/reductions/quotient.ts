import { ConclaveError } from '../../protocol/error.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import type { Fault, Visit } from '../compiled/expander.js';
import type { Compiled } from '../compiled/system.js';
import type { Claim } from '../verdicts/judge.js';
import type { World } from '../worlds/world.js';
import { QuotientCheck } from './quotient-check.js';
import { Representatives } from './representatives.js';
import { symmetryOf } from './symmetry.js';

export interface QuotientOptions {
  /** Whether worlds that differ by a symmetry of the protocol are taken for the same. */
  readonly symmetry: boolean;
  /** Worlds that it makes the same are taken for the same. */
  readonly normalise: ((world: World) => World) | undefined;
  /** What is asked of the worlds, and must not tell equivalent ones apart. */
  readonly claims: readonly Claim[];
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
 * A system in which each world is replaced by the representative of its class before it is visited. What is said to be equivalent is held
 * against the definition for worlds sampled over the whole search.
 */
export class Quotient implements Compiled {
  readonly width: number;
  /** What a `holds` trusts beyond what was looked at. */
  readonly trusts: readonly string[];
  readonly #representatives: Representatives;
  readonly #check: QuotientCheck;
  readonly #next: Int32Array;
  #expanded = 0;

  /**
   * `inner`: the system, or one that leaves out steps of it.
   *
   * @throws {ConclaveError} as {@link symmetryOf}; from then on, `bad-protocol` or `bad-input` where sampling shows a difference.
   */
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly inner: Compiled,
    { symmetry, normalise, claims }: QuotientOptions,
  ) {
    const { protocol, topology } = compiled.worlds;
    const { generators, group } = symmetry ? symmetryOf(protocol, topology) : { generators: [], group: [] };
    this.width = compiled.width;
    this.trusts = [
      ...(symmetry ? ['the symmetry that the protocol declares, held against a sample of the worlds'] : []),
      ...(normalise ? ['that normalise changes nothing that can happen, held against a sample of the worlds'] : []),
    ];
    this.#representatives = new Representatives(compiled, group, normalise);
    this.#check = new QuotientCheck(compiled, this.#representatives, generators, claims, normalise !== undefined);
    this.#next = new Int32Array(compiled.width);
  }

  get asks(): boolean {
    return this.inner.asks === true;
  }

  initial(into: Int32Array): void {
    this.#expanded = 0;
    this.compiled.initial(into);
    this.#check.walks(into.slice());
    this.#representatives.of(into, into);
  }

  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    if (isSampled(this.#expanded++)) this.#check.around(state);
    const replaced = (action: number) => {
      this.#representatives.of(this.#next, into);
      return visit(action);
    };
    this.inner.expand(state, this.#next, replaced, fault);
  }

  errorOf(step: number): ConclaveError {
    return this.inner.errorOf(step);
  }

  fairness(action: number): number {
    return this.inner.fairness(action);
  }

  /**
   * The real run for one of representatives: from the real first world, each time the first action that leads into the class where the
   * representative's went.
   *
   * @throws {ConclaveError} `bad-protocol` if there is none, or its end differs from its representative in what can happen at all, and
   * `bad-input` if it does for a property: then worlds were taken for the same that are not.
   */
  realRun(actions: readonly number[]): RealRun {
    const real = new Int32Array(this.width);
    const standing = new Int32Array(this.width);
    const target = new Int32Array(this.width);
    const wanted = new Int32Array(this.width);
    const found = new Int32Array(this.width);
    this.compiled.initial(real);
    this.#representatives.of(real, standing);
    const taken = actions.map((action) => {
      this.#first(standing, target, (number) => number === action);
      this.#representatives.of(target, wanted);
      const step = this.#first(real, target, () => {
        this.#representatives.of(this.#next, found);
        return found.every((number, slot) => number === wanted[slot]);
      });
      if (step < 0) throw this.#unreal();
      real.set(target);
      standing.set(wanted);
      return step;
    });
    this.#check.agree(real, standing, 'the reduction');
    const [end, itsEnd] = [this.#endAt(real), this.#endAt(standing)];
    if (end.isAtRest !== itsEnd.isAtRest || !end.error !== !itsEnd.error) throw this.#unreal();
    return { actions: taken, error: end.error };
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
