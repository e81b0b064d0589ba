/**
 * Sparse linear equations modulo a prime. With fractions, numbers grow with each row; remainders do
 * not, and evaluation.ts lifts their solution to the exact one. The matrix is factored once, row by
 * row: each solution is then one pass over the factors. How many entries these have depends on the
 * order of the rows.
 */
import { componentsOf } from './components.js';
import { at } from './decision-process.js';

/** The columns of row i are columns[first[i]] … columns[first[i + 1] − 1]. */
interface Terms {
  readonly size: number;
  readonly first: Int32Array;
  readonly columns: Int32Array;
}

/** On each of the first levels, a component loses one state, and then more and more. */
const firstLevels = 3;
/** If components have so many states after so many levels, too many new terms would arise. */
const mostLeft = 2 ** 16;
const levelsForMost = 8;
/** A level takes at most one state in so many. */
const leastShare = 8;

/**
 * An order to eliminate the rows of a strongly connected component, such that few new terms
 * arise. The states that most others lead to come last: without them, it falls into smaller
 * components. Each of these comes after those that it leads to, and is put in order in the same
 * way. Undefined if there are too many terms in any order of this kind.
 */
export function eliminationOrder(
  terms: Terms,
  watch: { tick(weight?: number): void },
): Int32Array | undefined {
  const { size, first, columns } = terms;
  const identity = Int32Array.from({ length: size + 1 }, (_, place) => place);
  const graph = { states: size, firstChoice: identity, firstBranch: first, targets: columns };
  const degrees = new Int32Array(size);
  for (const column of columns) degrees[column] = at(degrees, column) + 1;
  const order = identity.slice(0, size);
  const isMember = new Uint8Array(size).fill(1);
  /** By row: its component on this level. */
  const segmentOf = new Int32Array(size);
  let segments: Segment[] = [{ begin: 0, end: size }];
  for (let level = 0; segments.length > 0; level++) {
    watch.tick(size);
    const next = segments.map(({ begin }) => begin);
    for (const segment of segments) cut(segment, level, order, degrees, isMember);
    const { members, first: firsts } = componentsOf(graph, watch, isMember);
    const found: Segment[] = [];
    for (let index = 0; index + 1 < firsts.length; index++) {
      const component = members.subarray(at(firsts, index), at(firsts, index + 1));
      const segment = at(segmentOf, at(component, 0));
      const begin = next[segment] as number; // by segment
      order.set(component, begin);
      next[segment] = begin + component.length;
      if (component.length > 1) found.push({ begin, end: begin + component.length });
      else isMember[at(component, 0)] = 0;
    }
    segments = found;
    const left = found.reduce((sum, { begin, end }) => sum + end - begin, 0);
    if (level === levelsForMost && left > mostLeft) return undefined;
    for (const [index, { begin, end }] of segments.entries())
      for (let place = begin; place < end; place++) segmentOf[at(order, place)] = index;
  }
  return order;
}

interface Segment {
  readonly begin: number;
  readonly end: number;
}

/** Puts the states that most others lead to at the end of a segment, and takes them out. */
function cut(
  { begin, end }: Segment,
  level: number,
  order: Int32Array,
  degrees: Int32Array,
  isMember: Uint8Array,
): void {
  const length = end - begin;
  const count = Math.min(Math.ceil(length / leastShare), 2 ** Math.max(0, level - firstLevels));
  const rows = order.subarray(begin, end);
  if (count === 1) {
    let most = 0;
    for (let place = 1; place < length; place++)
      if (at(degrees, at(rows, place)) > at(degrees, at(rows, most))) most = place;
    [rows[most], rows[length - 1]] = [at(rows, length - 1), at(rows, most)];
  } else {
    rows.sort((a, b) => at(degrees, a) - at(degrees, b) || a - b);
  }
  for (let place = length - count; place < length; place++) isMember[at(rows, place)] = 0;
}

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

/** The triangular factors of a sparse matrix, modulo a prime. */
export class Factors {
  readonly #order: Int32Array;
  /** By row: its place in the order. */
  readonly #placeOf: Int32Array;
  /** By place: where the entries of its row begin; and where those right of the diagonal do. */
  readonly #first: Float64Array;
  readonly #firstRight: Float64Array;
  #columns = new Int32Array(1024);
  #values = new Int32Array(1024);
  #count = 0;
  readonly #inverses: Float64Array;
  /** The current row, by place, with zeros; which places it has, left of the diagonal and right. */
  readonly #row: Float64Array;
  readonly #isUsed: Uint8Array;
  readonly #left = new Heap();
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
    this.#firstRight = new Float64Array(size);
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

  /** Subtracts from a row those that its places left of the diagonal stand for, the first one first. */
  #eliminate(place: number): boolean {
    this.#scatter(place);
    const row = this.#row;
    for (let left = this.#left.pop(); left !== undefined; left = this.#left.pop()) {
      const factor = remainder(at(row, left) * at(this.#inverses, left));
      row[left] = 0;
      this.#isUsed[left] = 0;
      if (factor === 0) continue;
      this.#push(left, factor);
      const end = at(this.#first, left + 1);
      this.#work += end - at(this.#firstRight, left);
      for (let entry = at(this.#firstRight, left); entry < end; entry++) {
        const column = at(this.#columns, entry);
        this.#use(column, place);
        row[column] = remainder(at(row, column) - factor * at(this.#values, entry));
      }
    }
    this.#firstRight[place] = this.#count;
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

  /** Writes a row of the matrix into the current row. */
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
    if (column < place) this.#left.push(column);
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
      for (let entry = at(this.#first, place); entry < at(this.#firstRight, place); entry++)
        sum = remainder(sum - at(this.#values, entry) * at(solution, at(this.#columns, entry)));
      solution[place] = sum;
    }
    const byRow = new Int32Array(size);
    for (let place = size - 1; place >= 0; place--) {
      let sum = at(solution, place);
      for (let entry = at(this.#firstRight, place); entry < at(this.#first, place + 1); entry++)
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
