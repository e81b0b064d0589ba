import type { Visited } from '../search/visited.js';
import type { Kernel } from './kernel.js';
import { pageBits } from './layout.js';

const inPage = (1 << pageBits) - 1;

/** The worlds in the memory of a kernel, as its last search found them; see packages/core/kernel/worlds.ts. */
export class KernelWorlds implements Visited {
  /** Numbers a world in a page, which are even. */
  readonly #rowLength: number;
  readonly #width: number;

  constructor(
    private readonly kernel: Kernel,
    width: number,
  ) {
    this.#width = width;
    this.#rowLength = width + (width & 1);
  }

  get size(): number {
    return this.kernel.calls.size.value;
  }

  get bound(): number {
    return this.size;
  }

  get bytes(): number {
    return this.kernel.bytes;
  }

  has(id: number): boolean {
    return id < this.size;
  }

  read(id: number, into: Int32Array): void {
    const { words, halves } = this.kernel;
    const entry = this.#page(id);
    const row = (id & inPage) * this.#rowLength;
    const isWide = entry & 1;
    const start = (entry - isWide) / 2 + (4 << pageBits); // in halves of words, after the origins
    if (isWide) for (let index = 0; index < this.#width; index++) into[index] = words[start / 2 + row + index] as number;
    else for (let index = 0; index < this.#width; index++) into[index] = halves[start + row + index] as number;
  }

  parent(id: number): number {
    return this.#origin(id, 0);
  }

  action(id: number): number {
    return this.#origin(id, 1);
  }

  #origin(id: number, part: number): number {
    return this.kernel.words[(this.#page(id) >>> 2) + 2 * (id & inPage) + part] as number;
  }

  /** The address of the page of a world, plus one if it is wide. */
  #page(id: number): number {
    const { words, calls } = this.kernel;
    return (words[(calls.directory.value >>> 2) + (id >>> pageBits)] as number) >>> 0;
  }
}
