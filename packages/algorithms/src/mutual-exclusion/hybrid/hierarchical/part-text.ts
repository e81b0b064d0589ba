import type { Json, Protocol } from '@conclave/core/protocol';
import { type OptionSchemas, part, whole } from '../../../options.js';

export type Options = {
  /** The algorithm inside each cluster. Default: the token ring. */
  readonly within?: Protocol;
  /** The algorithm between the clusters' representatives. Default: Ricart–Agrawala. */
  readonly between?: Protocol;
  /** How many clusters there are. Default 2. */
  readonly clusters?: number;
  /** How many entries in a row a cluster may make while others wait. Default 1. */
  readonly turns?: number;
};

export const hierarchicalOptions: OptionSchemas<Options> = {
  within: part('the algorithm inside a cluster: token-ring, raymond?greedy=2'),
  between: part('the algorithm between the clusters'),
  clusters: whole(2, 'how many clusters there are'),
  turns: whole(1, 'how many entries in a row a cluster may make while others wait'),
};

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
