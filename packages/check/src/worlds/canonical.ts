/**
 * A text that two plain values share exactly if they are the same data, whatever the order of their
 * keys.
 */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  let text = '';
  for (const key of inOrder(Object.keys(value))) {
    const item: unknown = (value as Readonly<Record<string, unknown>>)[key]; // its own key
    if (item !== undefined)
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonical(item)}`;
  }
  return `{${text}}`;
}

/** The keys, sorted. */
function inOrder(keys: string[]): readonly string[] {
  for (let index = 1; index < keys.length; index++)
    if ((keys[index - 1] as string) > (keys[index] as string)) return keys.sort(); // both are there
  return keys;
}

/** Whether {@link canonical} gives both the same text. */
export function sameData(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return canonical(a) === canonical(b);
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameData(item, b[index]))
    );
  const [one, other] = [a as Fields, b as Fields]; // neither is an array
  const keysOf = (fields: Fields) => Object.keys(fields).filter((key) => fields[key] !== undefined);
  const keys = keysOf(one);
  return (
    keys.length === keysOf(other).length && keys.every((key) => sameData(one[key], other[key]))
  );
}

type Fields = Readonly<Record<string, unknown>>;
