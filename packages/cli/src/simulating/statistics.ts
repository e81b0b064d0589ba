/**
 * Statistics over the runs of several seeds: where values lie, and a mean with its confidence
 * interval. Runs with different seeds are independent, which the interval assumes.
 */

/** Where values lie. Each number is one of the values: quantiles by nearest rank. */
export interface Quantiles {
  readonly min: number;
  /** The least value that is at least as large as 5 % of the values. */
  readonly p5: number;
  /**
   * The least value that is at least as large as half of the values: of two in the middle, the
   * smaller.
   */
  readonly median: number;
  /** The least value that is at least as large as 95 % of the values. */
  readonly p95: number;
  readonly max: number;
}

/**
 * The quantiles of these values by nearest rank: of n values in order, the p % quantile is the one
 * at place ⌈p·n / 100⌉, counted from 1 (definition 1 of Hyndman and Fan, The American Statistician
 * 50:4, 1996). Undefined without values.
 */
export function quantiles(values: Iterable<number>): Quantiles | undefined {
  const sorted = Float64Array.from(values).sort();
  const at = (percent: number) =>
    sorted[Math.max(1, Math.ceil((percent * sorted.length) / 100)) - 1] as number; // an index of `sorted`
  return sorted.length === 0
    ? undefined
    : { min: at(0), p5: at(5), median: at(50), p95: at(95), max: at(100) };
}

/** A mean over independent runs. */
export interface Estimate {
  readonly mean: number;
  /**
   * The 95 % confidence interval of the expected value, by Student's t distribution; absent with
   * fewer than two runs.
   */
  readonly interval?: readonly [least: number, most: number];
}

/** The estimate from a value of each run; undefined without values. */
export function estimate(values: readonly number[]): Estimate | undefined {
  const count = values.length;
  if (count === 0) return undefined;
  const mean = sum(values) / count;
  if (count === 1) return { mean };
  const squares = sum(values.map((value) => (value - mean) ** 2));
  const half = tQuantile(count - 1) * Math.sqrt(squares / (count - 1) / count);
  return { mean, interval: [mean - half, mean + half] };
}

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** The 97.5 % quantiles of Student's t distribution with 1, 2 … 9 degrees of freedom. */
const tOfFew = [12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216];

/** The 97.5 % quantile of the normal distribution. */
const z = 1.959964;

/**
 * The 97.5 % quantile of Student's t distribution; from 10 degrees of freedom by the expansion of
 * Cornish and Fisher, to a thousandth.
 */
export function tQuantile(freedom: number): number {
  const known = tOfFew[freedom - 1];
  if (known !== undefined) return known;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}
