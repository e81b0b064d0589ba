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
    let place = mix(first, second) & this.#mask;
    while (this.#cells[3 * place] !== 0) place = (place + 1) & this.#mask;
    this.#cells.set([first + 1, second, value], 3 * place);
  }

  *entries(): Generator<readonly [first: number, second: number, value: number]> {
    for (let at = 0; at < this.#cells.length; at += 3) {
      const [first = 0, second = 0, value = 0] = this.#cells.subarray(at, at + 3);
      if (first > 0) yield [first - 1, second, value];
    }
  }

  #grow(): void {
    const entries = [...this.entries()];
    this.#mask = 2 * this.#mask + 1;
    this.#cells = new Int32Array(3 * (this.#mask + 1));
    this.#size = 1; // the pair that is to be added
    for (const entry of entries) this.add(...entry);
  }
}

function mix(first: number, second: number): number {
  const hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}
