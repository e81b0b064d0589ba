import type { Json, Protocol } from '@conclave/core/protocol';

/**
 * A part and its options in one text, which {@link partOf} reads.
 *
 * @example partText(raymond({ greedy: 2 })) // 'raymond?greedy=2'
 */
export function partText({ name, options = {} }: Protocol): string {
  const query = new URLSearchParams(Object.entries(options).map(([option, value]): [string, string] => [option, written(value)]));
  return query.size === 0 ? name : `${name}?${query}`;
}

/** The part that `text` names, as `make` makes it: `raymond`, `raymond?greedy=2`. */
export function partOf(text: string, make: (name: string, options: Readonly<Record<string, Json>>) => Protocol): Protocol {
  const [name = '', query = ''] = text.split(/\?(.*)/s);
  return make(name, Object.fromEntries([...new URLSearchParams(query)].map(([option, value]) => [option, read(value)])));
}

/** As JSON, but for texts that cannot be taken for anything else. */
const written = (value: Json) => (typeof value === 'string' && read(value) === value ? value : JSON.stringify(value));

function read(value: string): Json {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
