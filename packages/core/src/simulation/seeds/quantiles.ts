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
