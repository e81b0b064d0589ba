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

export const sameData = (a: unknown, b: unknown): boolean =>
  a === b || canonical(a) === canonical(b);
