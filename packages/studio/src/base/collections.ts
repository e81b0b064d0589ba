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

/** A function that is called once for each first argument, however often its result is wanted. */
export function memo<K extends WeakKey, V extends object, Rest extends readonly unknown[] = []>(
  make: (key: K, ...rest: Rest) => V,
): (key: K, ...rest: Rest) => V {
  const known = new WeakMap<K, V>();
  return (key, ...rest) => {
    const made = known.get(key) ?? make(key, ...rest);
    known.set(key, made);
    return made;
  };
}

/** Without the fields that are undefined. */
export const defined = <T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as object; // of the same type
