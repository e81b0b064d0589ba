/** Names that other tools take: letters, digits and underscores, each given once. */
export class Names {
  readonly #given: Set<string>;

  /** `reserved`: the words of the other language. */
  constructor(reserved: Iterable<string> = []) {
    this.#given = new Set(reserved);
  }

  /** A name that reads as `text`. */
  of(text: string): string {
    const word = text
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .replace(/^(?=\d|$)/, 'n');
    let name = word;
    for (let count = 2; this.#given.has(name); count++) name = `${word}_${count}`;
    this.#given.add(name);
    return name;
  }
}

/** A text that may stand in a comment of Promela. */
export const commentText = (text: string): string =>
  text.replaceAll('*/', '* /').replaceAll('\n', ' ');

/** The numbers as ranges from the first to the last of neighbours. */
export function rangesOf(numbers: Iterable<number>): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
