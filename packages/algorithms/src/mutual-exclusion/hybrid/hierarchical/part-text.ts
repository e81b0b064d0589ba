import type { Json, Protocol } from '@conclave/core/protocol';

/**
 * The name of a part and its options as text, which {@link partOf} parses.
 *
 * @example partText(raymond({ greedy: 2 })) // 'raymond?greedy=2'
 */
export function partText({ name, options = {} }: Protocol): string {
  const query = new URLSearchParams(
    Object.entries(options).map(([option, value]): [string, string] => [option, textOf(value)]),
  );
  return query.size === 0 ? name : `${name}?${query}`;
}

/** The part that `text` names, as `make` makes it: `raymond`, `raymond?greedy=2`. */
export function partOf(
  text: string,
  make: (name: string, options: Readonly<Record<string, Json>>) => Protocol,
): Protocol {
  const [name = '', query = ''] = text.split(/\?(.*)/s);
  return make(
    name,
    Object.fromEntries(
      [...new URLSearchParams(query)].map(([option, value]) => [option, jsonOf(value)]),
    ),
  );
}

/** As JSON, except for strings that do not parse as JSON. */
const textOf = (value: Json) =>
  typeof value === 'string' && jsonOf(value) === value ? value : JSON.stringify(value);

function jsonOf(value: string): Json {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
