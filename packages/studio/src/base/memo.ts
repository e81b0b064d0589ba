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
