/** The option at `place` if each takes as much room as its weight: `place` is below their sum. */
export function drawn<T>(options: readonly T[], weights: readonly number[], place: number): T {
  let left = place;
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return options.at(index) as T; // -1 for a sum that is not exact: the last one
}
