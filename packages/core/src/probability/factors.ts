import type { Terms } from './elimination-order.js';
import { at } from './scope.js';

/** diagonal[i] · x of row i = Σ weight · x of the columns + what the row is equal to. */
export interface IntegerMatrix extends Terms {
  readonly weights: Float64Array;
  readonly diagonal: Float64Array;
}

/** The largest prime below 2²⁶: products of remainders are safe integers. */
export const prime = 67_108_859;

const mostEntries = 2 ** 24;
const mostWork = 2 ** 28;

const remainder = (value: number): number => {
  const rest = value - Math.floor(value / prime) * prime;
  return rest < 0 ? rest + prime : rest >= prime ? rest - prime : rest;
};

/** The inverse of a remainder that is not 0 (extended Euclid). */
function inverse(value: number): number {
  let [large, small, before, after] = [prime, value, 0, 1];
  while (small !== 1) {
    const quotient = Math.floor(large / small);
    [large, small] = [small, large - quotient * small];
    [before, after] = [after, before - quotient * after];
  }
  return remainder(after);
}

/**
 * The triangular factors of a sparse matrix, modulo a prime, row by row in a given order. What
 * solves equations modulo the prime in one pass over its entries.
 */
export class Factors {
  readonly #order: Int32Array;
  /** By row: its place in the order. */
  readonly #placeOf: Int32Array;
  /** By place: where the entries of its row begin: those left of the diagonal, then the others. */
  readonly #first: Float64Array;
  readonly #middle: Float64Array;
  #columns = new Int32Array(1024);
  #values = new Int32Array(1024);
  #count = 0;
  readonly #inverses: Float64Array;
  /** The row that is at work, by place; which of its places are used; those still to eliminate. */
  readonly #row: Float64Array;
  readonly #isUsed: Uint8Array;
  readonly #open = new Heap();
  #right: number[] = [];
  #work = 0;

  private constructor(
    private readonly matrix: IntegerMatrix,
    order: Int32Array,
  ) {
    const { size } = matrix;
    this.#order = order;
    this.#placeOf = new Int32Array(size);
    for (let place = 0; place < size; place++) this.#placeOf[at(order, place)] = place;
    this.#first = new Float64Array(size + 1);
    this.#middle = new Float64Array(size);
    this.#inverses = new Float64Array(size);
    this.#row = new Float64Array(size);
    this.#isUsed = new Uint8Array(size);
  }

  /** How many entries they have, besides the diagonals. */
  get entries(): number {
    return this.#count;
  }

  /** Undefined if there is no single solution modulo the prime, or if it is too much work. */
  static of(
    matrix: IntegerMatrix,
    order: Int32Array,
    watch: { tick(weight?: number): void },
  ): Factors | undefined {
    const factors = new Factors(matrix, order);
    for (let place = 0; place < matrix.size; place++) {
      watch.tick();
      if (!factors.#eliminate(place)) return undefined;
    }
    return factors;
  }

  #eliminate(place: number): boolean {
    this.#scatter(place);
    const row = this.#row;
    for (let left = this.#open.pop(); left !== undefined; left = this.#open.pop()) {
      const factor = remainder(at(row, left) * at(this.#inverses, left));
      row[left] = 0;
      this.#isUsed[left] = 0;
      if (factor === 0) continue;
      this.#push(left, factor);
      const end = at(this.#first, left + 1);
      this.#work += end - at(this.#middle, left);
      for (let entry = at(this.#middle, left); entry < end; entry++) {
        const column = at(this.#columns, entry);
        this.#use(column, place);
        row[column] = remainder(at(row, column) - factor * at(this.#values, entry));
      }
    }
    this.#middle[place] = this.#count;
    const pivot = at(row, place);
    row[place] = 0;
    this.#isUsed[place] = 0;
    for (const right of this.#right) {
      if (row[right] !== 0) this.#push(right, at(row, right));
      row[right] = 0;
      this.#isUsed[right] = 0;
    }
    this.#right = [];
    this.#first[place + 1] = this.#count;
    if (pivot === 0 || this.#count > mostEntries || this.#work > mostWork) return false;
    this.#inverses[place] = inverse(pivot);
    return true;
  }

  /** Writes a row of the matrix into the row that is at work. */
  #scatter(place: number): void {
    const { first, columns, weights, diagonal } = this.matrix;
    const index = at(this.#order, place);
    this.#isUsed[place] = 1;
    this.#row[place] = remainder(at(diagonal, index));
    for (let term = at(first, index); term < at(first, index + 1); term++) {
      const column = at(this.#placeOf, at(columns, term));
      this.#use(column, place);
      this.#row[column] = remainder(at(this.#row, column) - at(weights, term));
    }
  }

  #use(column: number, place: number): void {
    if (this.#isUsed[column] === 1) return;
    this.#isUsed[column] = 1;
    if (column < place) this.#open.push(column);
    else this.#right.push(column);
  }

  #push(column: number, entry: number): void {
    if (this.#count === this.#columns.length) {
      const [columns, entries] = [this.#columns, this.#values];
      this.#columns = new Int32Array(2 * this.#count);
      this.#columns.set(columns);
      this.#values = new Int32Array(2 * this.#count);
      this.#values.set(entries);
    }
    this.#columns[this.#count] = column;
    this.#values[this.#count++] = entry;
  }

  /** The solution modulo the prime, by row, for these right sides. */
  solve(right: Float64Array): Int32Array {
    const { size } = this.matrix;
    const solution = new Float64Array(size);
    for (let place = 0; place < size; place++) {
      let sum = at(right, at(this.#order, place));
      for (let entry = at(this.#first, place); entry < at(this.#middle, place); entry++)
        sum = remainder(sum - at(this.#values, entry) * at(solution, at(this.#columns, entry)));
      solution[place] = sum;
    }
    const byRow = new Int32Array(size);
    for (let place = size - 1; place >= 0; place--) {
      let sum = at(solution, place);
      for (let entry = at(this.#middle, place); entry < at(this.#first, place + 1); entry++)
        sum = remainder(sum - at(this.#values, entry) * at(solution, at(this.#columns, entry)));
      solution[place] = remainder(sum * at(this.#inverses, place));
      byRow[at(this.#order, place)] = at(solution, place);
    }
    return byRow;
  }
}

/** A binary heap: the smallest number first. */
class Heap {
  readonly #items: number[] = [];

  push(item: number): void {
    const items = this.#items;
    let index = items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = items[parent] as number; // parent < index
      if (above <= item) break;
      items[index] = above;
      index = parent;
    }
    items[index] = item;
  }

  pop(): number | undefined {
    const items = this.#items;
    const [top, last] = [items[0], items.pop()];
    if (last === undefined || items.length === 0) return top;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      if ((items[child + 1] ?? Infinity) < (items[child] as number)) child++;
      const below = items[child] as number; // child < length
      if (below >= last) break;
      items[index] = below;
      index = child;
    }
    items[index] = last;
    return top;
  }
}
