import { offset } from './steps.js';
import type { Visited } from './visited.js';

/** How many worlds a page holds. */
const pageBits = 14;
export const pageSize = 1 << pageBits;

/** Allocates memory: shared if several threads read it. */
export type Allocate = (bytes: number) => ArrayBufferLike;

/** Worlds as vectors of integers, compared exactly, never by a hash alone. */
export class WorldStore implements Visited {
  #size = 0;
  /** 16 bits a number, unless a number of the page needs more. */
  readonly pages: (Uint16Array | Int32Array)[] = [];
  #pageBytes = 0;
  /** By world: its predecessor and the action that led to it. */
  readonly origins: Int32Array[] = [];
  /** Open addressing: hash and number + 1 of a world, 0 for a free cell. */
  #table = new Int32Array(2 * 4096);
  #mask = 4095;

  /** What {@link touch} has read: without a use, a compiler may remove the reads. */
  touched = 0;

  constructor(
    readonly width: number,
    private readonly allocate: Allocate = (bytes) => new ArrayBuffer(bytes),
  ) {}

  get size(): number {
    return this.#size;
  }

  get bound(): number {
    return this.#size;
  }

  /** Bytes taken by worlds, origins and table. */
  get bytes(): number {
    return this.#pageBytes + (this.origins.length * 2 * pageSize + this.#table.length) * 4;
  }

  has(id: number): boolean {
    return id < this.#size;
  }

  add(numbers: Int32Array, from: number, hash: number, parent: number, action: number): number {
    const width = this.width;
    const table = this.#table;
    const mask = this.#mask;
    let place = hash & mask;
    for (let entry = table[2 * place + 1] as number; entry !== 0; entry = table[2 * place + 1] as number) {
      if (table[2 * place] === hash && this.#equals(entry - 1, numbers, from)) return entry - 1;
      place = (place + 1) & mask;
    }
    const id = this.#size++;
    if (id >> pageBits === this.pages.length) this.#addPage();
    const at = id & (pageSize - 1);
    const page = this.#pageFor(id >> pageBits, numbers, from);
    // A loop is faster than set() for so few numbers.
    const to = at * width;
    for (let index = 0; index < width; index++) page[to + index] = numbers[from + index] as number;
    const origins = this.origins[id >> pageBits] as Int32Array;
    origins[2 * at] = parent;
    origins[2 * at + 1] = action;
    table[2 * place] = hash;
    table[2 * place + 1] = id + 1;
    if (2 * this.#size > mask) this.#grow();
    return id;
  }

  read(id: number, into: Int32Array): void {
    readFrom(this.pages, this.width, id, into);
  }

  parent(id: number): number {
    return (this.origins[id >> pageBits] as Int32Array)[2 * (id & (pageSize - 1))] as number;
  }

  action(id: number): number {
    return (this.origins[id >> pageBits] as Int32Array)[2 * (id & (pageSize - 1)) + 1] as number;
  }

  touch(numbers: Int32Array, from: number, end: number, length: number): void {
    const table = this.#table;
    const mask = this.#mask;
    let sum = 0;
    for (let at = from; at < end; at += length) sum += table[2 * ((numbers[at + offset.hash] as number) & mask)] as number;
    for (let at = from; at < end; at += length) {
      const hash = numbers[at + offset.hash] as number;
      const id = (table[2 * (hash & mask) + 1] as number) - 1;
      if (id < 0 || table[2 * (hash & mask)] !== hash) continue;
      sum += (this.pages[id >> pageBits] as Uint16Array | Int32Array)[(id & (pageSize - 1)) * this.width] as number;
    }
    this.touched = sum;
  }

  /** Worlds are kept for traces and properties of runs. */
  expanded(): void {}

  #addPage(): void {
    const bytes = 2 * this.width * pageSize;
    this.pages.push(new Uint16Array(this.allocate(bytes)));
    this.#pageBytes += bytes;
    this.origins.push(new Int32Array(this.allocate(8 * pageSize)));
  }

  /** Page `number`, widened if the world does not fit. */
  #pageFor(number: number, numbers: Int32Array, from: number): Uint16Array | Int32Array {
    const page = this.pages[number] as Uint16Array | Int32Array;
    if (page instanceof Int32Array) return page;
    let bits = 0;
    for (let index = 0; index < this.width; index++) bits |= numbers[from + index] as number;
    if (bits >>> 16 === 0) return page;
    const wide = new Int32Array(this.allocate(2 * page.byteLength));
    wide.set(page);
    this.pages[number] = wide;
    this.#pageBytes += page.byteLength;
    return wide;
  }

  #equals(id: number, numbers: Int32Array, from: number): boolean {
    const page = this.pages[id >> pageBits] as Uint16Array | Int32Array;
    const { width } = this;
    const at = (id & (pageSize - 1)) * width;
    for (let index = 0; index < width; index++) if (page[at + index] !== numbers[from + index]) return false;
    return true;
  }

  #grow(): void {
    const old = this.#table;
    const mask = 2 * this.#mask + 1;
    const table = new Int32Array(2 * (mask + 1));
    for (let index = 0; index < old.length; index += 2) {
      if (old[index + 1] === 0) continue;
      let place = (old[index] as number) & mask;
      while (table[2 * place + 1] !== 0) place = (place + 1) & mask;
      table[2 * place] = old[index] as number;
      table[2 * place + 1] = old[index + 1] as number;
    }
    this.#table = table;
    this.#mask = mask;
  }
}

/** Copies world `id`, `width` numbers, out of its page. */
export function readFrom(pages: readonly (Uint16Array | Int32Array)[], width: number, id: number, into: Int32Array): void {
  const page = pages[id >> pageBits] as Uint16Array | Int32Array;
  const from = (id & (pageSize - 1)) * width;
  for (let index = 0; index < width; index++) into[index] = page[from + index] as number;
}
