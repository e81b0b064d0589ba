import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import { optionAt } from './weighted.js';

/** A stream of seeded randomness: the same seed gives the same numbers everywhere. */
export class Random {
  readonly #generator;

  constructor(readonly seed: number) {
    // Not xoroshiro128plus: from neighbouring seeds its first draws are strongly correlated, and
    // runs are swept over seeds 1, 2, 3 …
    this.#generator = mersenne(seed | 0);
  }

  /** In [0, 1). */
  unit(): number {
    return uniformFloat64(this.#generator);
  }

  /** A whole number in 0 … `bound` − 1. */
  below(bound: number): number {
    return uniformInt(this.#generator, 0, bound - 1);
  }

  pick<T>(options: readonly T[]): T {
    // the index is in range; `options` must not be empty
    return options[this.below(options.length)] as T;
  }

  /**
   * One of them, each as likely as its positive whole weight says. Equal weights draw as
   * {@link pick}.
   */
  draw<T>(options: readonly T[], weights: readonly number[] | undefined): T {
    if (!weights || weights.every((weight) => weight === weights[0])) return this.pick(options);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return optionAt(this.unit() * sum, options, weights);
  }

  /**
   * True with the given probability; draws nothing for 0 and 1, so that switching a fault off
   * changes no other draw.
   */
  chance(probability: number): boolean {
    return probability > 0 && (probability >= 1 || this.unit() < probability);
  }

  /** Exponentially distributed with the given mean. */
  exponential(mean: number): number {
    return -mean * Math.log1p(-this.unit());
  }

  /** Normally distributed (Box–Muller). */
  normal(mean: number, deviation: number): number {
    return (
      mean +
      deviation * Math.sqrt(-2 * Math.log1p(-this.unit())) * Math.cos(2 * Math.PI * this.unit())
    );
  }

  shuffled<T>(items: readonly T[]): T[] {
    const result = [...items];
    for (let last = result.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      // both indices are in range
      [result[last], result[other]] = [result[other] as T, result[last] as T];
    }
    return result;
  }

  /** An independent stream for one purpose: draws for other purposes do not change it. */
  fork(purpose: string): Random {
    let hash = this.seed | 0;
    for (let index = 0; index < purpose.length; index++)
      hash = Math.imul(hash ^ purpose.charCodeAt(index), 0x9e3779b1) ^ (hash >>> 15);
    return new Random(hash);
  }
}
