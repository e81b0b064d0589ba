/**
 * Steps and lists as numbers, one after the other. A list is its length, then its items; for a step
 * see format/step.ts.
 */
export class Code {
  numbers = new Int32Array(1024);
  /** No list or step begins at 0. */
  end = 1;

  /** Appends numbers; returns where they begin. */
  write(numbers: readonly number[]): number {
    const start = this.end;
    this.end += numbers.length;
    this.#reserve(this.end);
    this.numbers.set(numbers, start);
    return start;
  }

  writeList(numbers: readonly number[]): number {
    return this.write([numbers.length, ...numbers]);
  }

  #reserve(length: number): void {
    let room = this.numbers.length;
    if (length <= room) return;
    while (room < length) room *= 2;
    const wider = new Int32Array(room);
    wider.set(this.numbers);
    this.numbers = wider;
  }
}
