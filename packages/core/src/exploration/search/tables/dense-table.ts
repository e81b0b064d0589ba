/** A map between non-negative numbers, for small keys. */
export class DenseTable {
  /** By key: value + 1, 0 if there is none. */
  #cells = new Int32Array(64);

  /** The value of `key`, −1 if it has none. */
  get(key: number, _ = 0): number {
    return key < this.#cells.length ? (this.#cells[key] as number) - 1 : -1;
  }

  /** The second key is unused: other tables need one. */
  add(key: number, _: number, value: number): void {
    let { length } = this.#cells;
    if (key >= length) {
      while (key >= length) length *= 2;
      const wider = new Int32Array(length);
      wider.set(this.#cells);
      this.#cells = wider;
    }
    this.#cells[key] = value + 1;
  }
}
