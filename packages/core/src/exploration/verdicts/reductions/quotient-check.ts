import { badInput, ConclaveError } from '../../../base/error.js';
import { Random } from '../../../base/random.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import { differenceText, nearest, worldText } from '../../worlds/world-text.js';
import { sameVector, type VectorProperty } from './images.js';
import type { Renaming } from './renaming.js';
import type { Representatives } from './representatives.js';

/** Two worlds that should be equivalent, and the error if they are not. */
interface Pair {
  readonly one: Int32Array;
  readonly other: Int32Array;
  /** Maps the successors of `one`. */
  readonly image: (successor: Int32Array) => Int32Array;
  readonly code: ConclaveError['code'];
  /** Such as `exchanging b→c→b`. */
  readonly what: string;
  readonly cure: string;
}

interface Successor {
  readonly vector: Int32Array;
  /** −1 for an action that fails; then `vector` is the world itself. */
  readonly action: number;
}

const walks = 16;
const steps = 50;

/**
 * Compares worlds with their normal forms, and with their images under a symmetry that may be one
 * of normalised worlds only: they must have the same actions, and properties the same values.
 */
export class QuotientCheck {
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly representatives: Representatives,
    private readonly generators: readonly Renaming[],
    private readonly properties: readonly VectorProperty[],
  ) {}

  /**
   * Walks from `first` through real worlds, which differ more from their representatives than the
   * worlds that the search expands.
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

  /**
   * @throws {ConclaveError} `bad-protocol` for a declared symmetry that is not one, `bad-input` for
   * a `normalise` that changes what can happen.
   */
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
        cure: "Remove it from the declared symmetry, or leave out reduce: 'symmetry'.",
      });
    }
    for (const raw of [vector, ...images]) this.#normalisable(raw);
  }

  /** Checks a representative, and its successors before they are replaced. */
  around(vector: Int32Array): void {
    this.world(vector);
    for (const successor of this.#successors(vector)) this.#normalisable(successor.vector);
  }

  /**
   * @throws {ConclaveError} `bad-input` for a property with different values in two worlds with one
   * normal form.
   */
  agree(one: Int32Array, other: Int32Array): void {
    for (const { name, kind, holds } of this.properties) {
      if (kind === 'leadsTo' || holds(one) === holds(other)) continue;
      throw badInput(
        `Property '${name}' has another value after normalise: ${holds(one) ? 'true' : 'false'} in ${this.#text(one)}, but ${holds(other) ? 'true' : 'false'} in ${this.#text(other)}`,
        'Leave out the property or normalise: a property must not distinguish values that normalise makes equal.',
      );
    }
  }

  #normalisable(vector: Int32Array): void {
    const normal = this.#normalised(vector);
    const twice = this.#normalised(normal);
    const cure = 'Let normalise change only what does not influence the next actions.';
    if (!sameVector(twice, normal))
      throw badInput(
        `normalise changes its own result: ${this.#text(normal)} becomes ${this.#text(twice)}: ${this.#difference(normal, twice)}`,
        'Let normalise return a normal form unchanged.',
      );
    const image = (of: Int32Array) => of;
    if (sameVector(vector, normal)) return;
    this.#equivalent({
      one: vector,
      other: normal,
      image,
      code: 'bad-input',
      what: 'normalise',
      cure,
    });
    this.agree(vector, normal);
  }

  #equivalent(pair: Pair): void {
    const { one, other, image, code, what, cure } = pair;
    const expected = this.#successors(one).map(({ vector, action }) => ({
      vector: this.#normalised(image(vector)),
      action,
    }));
    const found = this.#successors(other).map(({ vector, action }) => ({
      vector: this.#normalised(vector),
      action,
    }));
    const refuse = (
      lost: Successor,
      from: Int32Array,
      to: Int32Array,
      among: readonly Successor[],
    ) => {
      const worlds = nearest(
        lost.vector,
        among.map(({ vector }) => vector),
      );
      const next = worlds
        ? `; the nearest that is reached has ${this.#difference(lost.vector, worlds)}`
        : '';
      const step =
        lost.action < 0
          ? 'an action fails'
          : `${JSON.stringify(this.compiled.actionOf(lost.action))} is possible`;
      return new ConclaveError(
        code,
        `Protocol '${this.compiled.worlds.protocol.name}' on '${this.compiled.worlds.topology.spec}': ${what} changes what can happen. ` +
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

  /** The successors of `vector`, and itself once for each action that fails. */
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

const keyOf = ({ vector, action }: Successor): string =>
  `${action < 0 ? 'fails in ' : ''}${vector.join()}`;
