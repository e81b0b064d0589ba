/**
 * A map from pairs of non-negative numbers to numbers. Open addressing: its size depends on the
 * number of entries, not on the largest key.
 */
export class PairTable {
  /** By cell: first + 1 (0 if free), second, value. */
  #cells = new Int32Array(3 * 64);
  #mask = 63;
  #size = 0;

  /** The value of a pair, −1 if it has none. */
  get(first: number, second: number): number {
    const cells = this.#cells;
    for (let place = mix(first, second) & this.#mask; ; place = (place + 1) & this.#mask) {
      const found = cells[3 * place] as number;
      if (found === 0) return -1;
      if (found === first + 1 && cells[3 * place + 1] === second)
        return cells[3 * place + 2] as number;
    }
  }

  /** Adds a pair without a value. */
  add(first: number, second: number, value: number): void {
    if (2 * ++this.#size > this.#mask) this.#grow();
    this.#put(first, second, value);
  }

  #put(first: number, second: number, value: number): void {
    const cells = this.#cells;
    let place = mix(first, second) & this.#mask;
    while (cells[3 * place] !== 0) place = (place + 1) & this.#mask;
    cells[3 * place] = first + 1;
    cells[3 * place + 1] = second;
    cells[3 * place + 2] = value;
  }

  *entries(): Generator<readonly [first: number, second: number, value: number]> {
    for (let at = 0; at < this.#cells.length; at += 3) {
      const [first = 0, second = 0, value = 0] = this.#cells.subarray(at, at + 3);
      if (first > 0) yield [first - 1, second, value];
    }
  }

  #grow(): void {
    const before = this.#cells;
    this.#mask = 2 * this.#mask + 1;
    this.#cells = new Int32Array(3 * (this.#mask + 1));
    for (let at = 0; at < before.length; at += 3) {
      const first = before[at] as number;
      if (first > 0) this.#put(first - 1, before[at + 1] as number, before[at + 2] as number);
    }
  }
}

function mix(first: number, second: number): number {
  const hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}
