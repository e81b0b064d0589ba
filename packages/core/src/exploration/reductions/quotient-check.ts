import { Random } from '../../channel/random.js';
import { ConclaveError, type ErrorCode } from '../../protocol/error.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import type { CompiledProperty } from '../verdicts/judge.js';
import { differenceText, nearest, worldText } from '../worlds/world-text.js';
import { same } from './images.js';
import type { Renaming } from './renaming.js';
import type { Representatives } from './representatives.js';

/** Two worlds that are said to be equivalent, and what to say if they are not. */
interface Pair {
  readonly one: Int32Array;
  readonly other: Int32Array;
  /** What the successors of `one` become. */
  readonly image: (successor: Int32Array) => Int32Array;
  readonly code: ErrorCode;
  /** Such as `exchanging b→c→b`. */
  readonly what: string;
  readonly cure: string;
}

interface Successor {
  readonly vector: Int32Array;
  /** −1 where an action breaks the rules; then `vector` is the world itself. */
  readonly action: number;
}

const walks = 16;
const steps = 50;

/**
 * Holds worlds against what `normalise` makes of them, and against their images under a symmetry that may hold only for normalised worlds: the same
 * must be able to happen, and the same be true.
 */
export class QuotientCheck {
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly representatives: Representatives,
    private readonly generators: readonly Renaming[],
    private readonly claims: readonly CompiledProperty[],
  ) {}

  /**
   * Walks from `first` through real worlds: they drift away from their representatives, beside which the search stays.
   *
   * @throws {ConclaveError} as {@link world}.
   */
  walks(first: Int32Array): void {
    const random = new Random(1);
    for (let walk = 0; walk < walks; walk++) {
      let at = first;
      for (let step = 0; step < steps; step++) {
        this.world(at);
        const next = this.#successors(at).filter(({ action }) => action >= 0);
        if (next.length === 0) break;
        at = random.pick(next).vector;
      }
    }
  }

  /** @throws {ConclaveError} `bad-protocol` for a declared symmetry that is none, `bad-input` for a `normalise` that changes what can happen. */
  world(vector: Int32Array): void {
    const images: Int32Array[] = [];
    for (const renaming of this.generators) {
      const image = (of: Int32Array) => this.#written((into) => renaming.apply(of, into));
      const other = image(vector);
      images.push(other);
      this.#equivalent({
        one: vector,
        other,
        image,
        code: 'bad-protocol',
        what: `renaming ${renaming.name}`,
        cure: "Declare no symmetry of it, or leave out reduce: 'symmetry'.",
      });
    }
    for (const raw of [vector, ...images]) this.#normalisable(raw);
  }

  /** The same for a representative, and for what it leads to before that is replaced. */
  around(vector: Int32Array): void {
    this.world(vector);
    for (const successor of this.#successors(vector)) this.#normalisable(successor.vector);
  }

  /** @throws {ConclaveError} `bad-input` for a property that tells two worlds with one normal form apart. */
  agree(one: Int32Array, other: Int32Array): void {
    for (const { name, kind, holds } of this.claims) {
      if (kind === 'leadsTo' || holds(one) === holds(other)) continue;
      throw new ConclaveError(
        'bad-input',
        `Property '${name}' is not the same after normalise: ${holds(one) ? 'true' : 'false'} in ${this.#text(one)}, but ${holds(other) ? 'true' : 'false'} in ${this.#text(other)}`,
        'Leave the property or normalise out; a property must not name values that are taken for the same.',
      );
    }
  }

  #normalisable(vector: Int32Array): void {
    const normal = this.#normalised(vector);
    const twice = this.#normalised(normal);
    const cure = 'Let normalise change only what makes no difference to what can happen next.';
    if (!same(twice, normal))
      throw new ConclaveError(
        'bad-input',
        `normalise changes what it has normalised: ${this.#text(normal)} becomes ${this.#text(twice)}: ${this.#difference(normal, twice)}`,
        'Let it find one and the same form at once.',
      );
    const image = (of: Int32Array) => of;
    if (same(vector, normal)) return;
    this.#equivalent({ one: vector, other: normal, image, code: 'bad-input', what: 'normalise', cure });
    this.agree(vector, normal);
  }

  #equivalent(pair: Pair): void {
    const { one, other, image, code, what, cure } = pair;
    const expected = this.#successors(one).map(({ vector, action }) => ({ vector: this.#normalised(image(vector)), action }));
    const found = this.#successors(other).map(({ vector, action }) => ({ vector: this.#normalised(vector), action }));
    const refuse = (lost: Successor, from: Int32Array, to: Int32Array, among: readonly Successor[]) => {
      const worlds = nearest(
        lost.vector,
        among.map(({ vector }) => vector),
      );
      const next = worlds ? `; the nearest that is reached has ${this.#difference(lost.vector, worlds)}` : '';
      const step = lost.action < 0 ? 'a step breaks the rules' : `${JSON.stringify(this.compiled.actionOf(lost.action))} leads on`;
      return new ConclaveError(
        code,
        `Protocol '${this.compiled.worlds.protocol.name}' on '${this.compiled.worlds.topology.spec}': ${what} makes a difference to what can happen. ` +
          `In ${this.#text(from)}, ${step}; in ${this.#text(to)}, nothing corresponds${next}`,
        cure,
      );
    };
    const [expectedKeys, foundKeys] = [new Set(expected.map(keyOf)), new Set(found.map(keyOf))];
    const lost = expected.find((successor) => !foundKeys.has(keyOf(successor)));
    if (lost) throw refuse(lost, one, other, found);
    const extra = found.find((successor) => !expectedKeys.has(keyOf(successor)));
    if (extra) throw refuse(extra, other, one, expected);
  }

  /** Where `vector` leads, and itself once for each step that breaks the rules. */
  #successors(vector: Int32Array): readonly Successor[] {
    const successors: Successor[] = [];
    const next = new Int32Array(this.compiled.width);
    const visit = (action: number) => {
      successors.push({ vector: next.slice(), action });
      return false;
    };
    this.compiled.expand(vector, next, visit, () => successors.push({ vector, action: -1 }));
    return successors;
  }

  #normalised(vector: Int32Array): Int32Array {
    return this.#written((into) => this.representatives.normalised(vector, into));
  }

  #written(write: (into: Int32Array) => void): Int32Array {
    const into = new Int32Array(this.compiled.width);
    write(into);
    return into;
  }

  #text(vector: Int32Array): string {
    return worldText(this.compiled.encoding.decode(vector));
  }

  #difference(one: Int32Array, other: Int32Array): string {
    return differenceText(this.compiled.encoding.decode(one), this.compiled.encoding.decode(other));
  }
}

const keyOf = ({ vector, action }: Successor): string => `${action < 0 ? 'breaks the rules in ' : ''}${vector.join()}`;
