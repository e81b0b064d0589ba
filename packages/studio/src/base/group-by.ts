/** The values by a key of each, in their order; no group is empty. */
export function groupBy<T, K>(
  values: Iterable<T>,
  keyOf: (value: T) => K,
): ReadonlyMap<K, readonly [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}
