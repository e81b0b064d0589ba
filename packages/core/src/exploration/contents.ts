import { PairTable } from './pair-table.js';

/** The contents of channels as numbers: 0 is the empty channel. Under `any` order a content is a multiset, kept sorted. */
export class ContentTable {
  readonly #lists: (readonly number[])[] = [[]];
  readonly #ids = new Map<string, number>([['', 0]]);
  /** By content and message: the content with that message behind it. */
  readonly #pushed = new PairTable();
  /** By content: the messages that may come next, each followed by the content that is left then. */
  readonly #ways: (readonly number[] | undefined)[] = [[]];

  constructor(private readonly order: 'fifo' | 'any') {}

  /** How many different contents there are. */
  get size(): number {
    return this.#lists.length;
  }

  /** The messages in a channel with this content, oldest first. */
  list(content: number): readonly number[] {
    return this.#lists[content] as readonly number[];
  }

  push(content: number, message: number): number {
    const known = this.#pushed.get(content, message);
    if (known >= 0) return known;
    const list = [...this.list(content), message];
    const pushed = this.#id(this.order === 'any' ? list.sort((a, b) => a - b) : list);
    this.#pushed.add(content, message, pushed);
    return pushed;
  }

  /** Message, rest, message, rest …: the head under `fifo`, each different message under `any`. */
  ways(content: number): readonly number[] {
    const known = this.#ways[content];
    if (known) return known;
    const list = this.list(content);
    const heads = this.order === 'fifo' ? [0] : list.flatMap((message, index) => (list.indexOf(message) === index ? [index] : []));
    const ways = heads.flatMap((index) => [list[index] as number, this.#id(list.toSpliced(index, 1))]);
    this.#ways[content] = ways;
    return ways;
  }

  #id(list: readonly number[]): number {
    const key = list.join();
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#lists.length;
    this.#ids.set(key, id);
    this.#lists.push(list);
    this.#ways.push(undefined);
    return id;
  }
}
