/** A queue whose first item is taken in constant time: `shift` moves the rest of a long array. */
export class Backlog<T> {
  #items: T[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  put(item: T): void {
    this.#items.push(item);
  }

  /** The first item, removed; undefined where there is none. */
  take(): T | undefined {
    const item = this.#items[this.#taken];
    if (this.length === 0) return undefined;
    this.#taken++;
    if (this.#taken >= 1024 && this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }
}
