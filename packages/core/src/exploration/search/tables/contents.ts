/**
 * The contents of channels as numbers: 0 is the empty channel. Under `any` order a content is a
 * multiset, kept sorted.
 */
export class ContentTable {
  readonly #lists: (readonly number[])[] = [[]];
  readonly #ids = new Map<string, number>([['', 0]]);

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
    return this.of([...this.list(content), message]);
  }

  /** The content with `message` duplicated, the copy directly after it. */
  duplicate(content: number, message: number): number {
    const list = this.list(content);
    return this.#id(list.toSpliced(list.indexOf(message), 0, message));
  }

  /**
   * Message, remaining content, message, …: the head under `fifo`, each distinct message under
   * `any`.
   */
  dequeues(content: number): readonly number[] {
    const list = this.list(content);
    const heads =
      this.order === 'fifo'
        ? list.slice(0, 1).map(() => 0)
        : list.flatMap((message, index) => (list.indexOf(message) === index ? [index] : []));
    return heads.flatMap((index) => [list[index] as number, this.#id(list.toSpliced(index, 1))]);
  }

  /** The content with these messages, oldest first. */
  of(messages: readonly number[]): number {
    return this.#id(this.order === 'any' ? [...messages].sort((a, b) => a - b) : messages);
  }

  #id(list: readonly number[]): number {
    const key = list.join();
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#lists.length;
    this.#ids.set(key, id);
    this.#lists.push(list);
    return id;
  }
}
