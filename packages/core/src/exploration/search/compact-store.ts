import { wordsFrom } from './chacha.js';
import { enlarged } from './graph.js';
import { offset } from './steps.js';
import { VectorHash } from './vector-hash.js';
import type { Growing } from './visited.js';

/** How many worlds a page of the queue holds. */
const pageBits = 12;
const pageSize = 1 << pageBits;

/**
 * Worlds told apart by 64 bits of hash only (hash compaction: Wolper & Leroy, CAV 1993; Stern &
 * Dill, CHARME 1995): 24 to 40 bytes each, whatever their width. Two that share all 64 bits count
 * as one, so that worlds may be overlooked: see {@link omissionProbability}. Only worlds that are
 * not yet expanded can be read.
 */
export class CompactStore implements Growing {
  /** Two functions, drawn independently. The first is also the index into the table. */
  readonly first: VectorHash;
  readonly #second: VectorHash;
  #size = 0;
  /** Open addressing: two hashes a world; 0, 0 for a free cell. */
  #table = new Int32Array(2 * 4096);
  /** Whether there is a world whose hashes are 0, 0: it has no cell. */
  #hasZero = false;
  #mask = 4095;
  #origins = new Int32Array(2 * 4096);
  /** Pages of worlds, released once they are expanded. */
  readonly #pages: (Int32Array | undefined)[] = [];
  #freed = 0;

  /** What {@link addAll} has read: without a use, a compiler may remove the reads. */
  touched = 0;

  /** `seed`: 0 … 2⁵³ − 1; the same one draws the same functions. */
  constructor(
    readonly width: number,
    seed: number,
  ) {
    const words = wordsFrom(seed);
    this.first = new VectorHash(width, words);
    this.#second = new VectorHash(width, words);
  }

  get size(): number {
    return this.#size;
  }

  get bound(): number {
    return this.#size;
  }

  get bytes(): number {
    return (
      4 *
      (this.#table.length +
        this.#origins.length +
        (this.#pages.length - this.#freed) * this.width * pageSize)
    );
  }

  /**
   * A bound on the probability that a world was overlooked and no more than {@link size} were
   * found: n(n + 1)/2 · 2⁻⁶⁴ for n worlds, for every system, however many worlds it really has.
   *
   * Proof. The order in which an exact search finds worlds does not depend on the hash functions,
   * and this search finds the same worlds in the same order until it overlooks one. If it finds n
   * in total, the first overlooked world is at most number n + 1 of the exact search, and has both
   * hashes of an earlier world. Two given vectors share one hash with probability 2⁻³² (see
   * {@link VectorHash}), and both with 2⁻⁶⁴, since the functions are independent. The first n + 1
   * worlds form n(n + 1)/2 pairs.
   *
   * The theorem assumes random functions. Here a stream cipher expands a random seed, which an
   * exploration cannot be expected to distinguish (see {@link wordsFrom}). A seed that was chosen
   * for the system voids the bound.
   */
  get omissionProbability(): number {
    return Math.min(1, ((this.#size * (this.#size + 1)) / 2) * 2 ** -64);
  }

  has(id: number): boolean {
    return id < this.#size;
  }

  addAll(
    steps: Int32Array,
    end: number,
    added: (at: number, id: number, isNew: boolean) => void,
  ): void {
    const length = offset.world + this.width;
    this.#touch(steps, end, length);
    for (let at = 0; at < end; at += length) {
      const before = this.#size;
      const { hash, source, action, world } = offset;
      const id = this.add(
        steps,
        at + world,
        steps[at + hash] as number,
        steps[at + source] as number,
        steps[at + action] as number,
      );
      added(at, id, id === before);
    }
  }

  /**
   * Adds the world that begins at `from`, with its first hash; its number, or −1 if it is known.
   */
  add(numbers: Int32Array, from: number, first: number, parent: number, action: number): number {
    if (!this.#enter(first, this.#second.of(numbers, from))) return -1;
    const id = this.#size++;
    if (2 * id === this.#origins.length) this.#origins = enlarged(this.#origins);
    this.#origins[2 * id] = parent;
    this.#origins[2 * id + 1] = action;
    if (id >> pageBits === this.#pages.length)
      this.#pages.push(new Int32Array(this.width * pageSize));
    const page = this.#pages[id >> pageBits] as Int32Array;
    const to = (id & (pageSize - 1)) * this.width;
    for (let index = 0; index < this.width; index++)
      page[to + index] = numbers[from + index] as number;
    if (4 * this.#size > 3 * this.#mask) this.#grow();
    return id;
  }

  /** Reads what {@link add} will read: the waits for memory overlap. */
  #touch(numbers: Int32Array, end: number, length: number): void {
    let sum = 0;
    for (let at = 0; at < end; at += length)
      sum += this.#table[2 * ((numbers[at + offset.hash] as number) & this.#mask)] as number;
    this.touched = sum;
  }

  read(id: number, into: Int32Array): void {
    const page = this.#pages[id >> pageBits];
    if (!page) throw new Error('unreachable: an expanded world is not read again');
    const from = (id & (pageSize - 1)) * this.width;
    for (let index = 0; index < this.width; index++) into[index] = page[from + index] as number;
  }

  canRead(id: number): boolean {
    return this.#pages[id >> pageBits] !== undefined;
  }

  parent(id: number): number {
    return this.#origins[2 * id] as number;
  }

  action(id: number): number {
    return this.#origins[2 * id + 1] as number;
  }

  expanded(id: number): void {
    for (; (this.#freed + 1) << pageBits <= id + 1; this.#freed++)
      this.#pages[this.#freed] = undefined;
  }

  /** Enters two hashes; false if they are known. */
  #enter(first: number, second: number): boolean {
    const table = this.#table;
    if (first === 0 && second === 0) {
      const isNew = !this.#hasZero;
      this.#hasZero = true;
      return isNew;
    }
    let place = first & this.#mask;
    while (table[2 * place] !== 0 || table[2 * place + 1] !== 0) {
      if (table[2 * place] === first && table[2 * place + 1] === second) return false;
      place = (place + 1) & this.#mask;
    }
    table[2 * place] = first;
    table[2 * place + 1] = second;
    return true;
  }

  #grow(): void {
    const old = this.#table;
    this.#mask = 2 * this.#mask + 1;
    this.#table = new Int32Array(2 * (this.#mask + 1));
    for (let index = 0; index < old.length; index += 2)
      if (old[index] !== 0 || old[index + 1] !== 0)
        this.#enter(old[index] as number, old[index + 1] as number);
  }
}
