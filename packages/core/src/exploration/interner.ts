/** Gives each different key a small number, in the order in which the keys come. */
export class Interner<T> {
  readonly items: T[] = [];
  readonly #ids = new Map<string, number>();

  /** The number of `key`; `make` is asked for its item the first time. */
  id(key: string, make: () => T): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.items.length;
    this.#ids.set(key, id);
    this.items.push(make());
    return id;
  }

  /** The item of a number that was given out. */
  item(id: number): T {
    return this.items[id] as T;
  }
}
