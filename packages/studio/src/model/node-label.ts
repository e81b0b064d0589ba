import { type Looks, leafPaths } from './looks.js';

/**
 * The state of a node in a few letters: the innermost state that gives it its look, or its first
 * one.
 */
export function shortState(looks: Looks, text: string, most: number): string {
  const leaves = leafPaths(text);
  const look = looks.state(text);
  const leaf =
    leaves.length > 1
      ? (leaves.find((path) => looks.state(path) === look) ?? leaves[0] ?? text)
      : text;
  const short =
    leaf.length > most || leaves.length > 1 ? leaf.slice(leaf.lastIndexOf('.') + 1) : leaf;
  return shortened(short, most);
}

export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;

/**
 * For each of these types a prefix that no other begins with: as short as that allows, at least
 * `least` letters.
 */
export function abbreviations(types: readonly string[], least = 3): ReadonlyMap<string, string> {
  return new Map(
    types.map((type) => {
      let length = least;
      while (
        length < type.length &&
        types.some((other) => other !== type && other.startsWith(type.slice(0, length)))
      )
        length++;
      return [type, type.slice(0, length)];
    }),
  );
}
