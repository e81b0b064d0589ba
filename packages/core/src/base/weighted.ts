/**
 * The choice of one of several weighted options. Apart from random.ts: an embedded node draws by
 * `Math.random`, and need not load a generator with seeds.
 */

/**
 * The option at `point`, where the options lie side by side from 0 on, each as long as its weight.
 * `point` is below the sum of the weights; where that sum was rounded, it may be the last option's.
 */
export function optionAt<T>(point: number, options: readonly T[], weights: readonly number[]): T {
  let rest = point;
  const index = weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return options.at(index) as T; // -1: the last one
}
