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
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count === 1) return { mean };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = tQuantile(count - 1) * Math.sqrt(squares / (count - 1) / count);
  return { mean, interval: [mean - half, mean + half] };
}

/** The 97.5 % quantiles of Student's t distribution with 1, 2 … degrees of freedom. */
const few = [12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216];

/** The same of the normal distribution. */
const z = 1.959964;

/** From 10 degrees of freedom by the expansion of Cornish and Fisher, to a thousandth. */
export function tQuantile(freedom: number): number {
  const known = few[freedom - 1];
  if (known !== undefined) return known;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}
