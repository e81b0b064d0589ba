/** A function that is called once for each object, however often its result is wanted. */
export function memo<K extends WeakKey, V extends object>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const before = known.get(key);
    if (before) return before;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
