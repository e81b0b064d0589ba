import { KernelMemory } from './kernel-memory.js';
import { KernelWorlds } from './kernel-worlds.js';
import { mostWorldBytes } from './layout.js';
import { offset } from './steps.js';
import type { Growing } from './visited.js';

/** What begins a record: its hash, its action, its source, whether its world is wide. */
const head = 4;

/**
 * Worlds that JavaScript finds, in the memory of a kernel: compared exactly, never by a hash alone.
 */
export class KernelStore extends KernelWorlds implements Growing {
  readonly #memory: KernelMemory;
  readonly #width: number;
  /** The numbers of a record. */
  readonly #length: number;
  /** The address of the records, and how many fit. */
  #records = 0;
  #room = 0;
  /** The records, before they are written into the memory. */
  #copy = new Int32Array(64);
  #size = 0;

  constructor(width: number, mostBytes = mostWorldBytes) {
    const memory = new KernelMemory();
    super(memory);
    memory.prepare(width, mostBytes);
    memory.calls.prepareWorlds(width, mostBytes);
    this.#memory = memory;
    this.#width = width;
    this.#length = memory.calls.recordBytes.value / 4;
  }

  override get size(): number {
    return this.#size;
  }

  addAll(
    steps: Int32Array,
    end: number,
    added: (at: number, id: number, isNew: boolean) => void,
  ): void {
    const length = offset.world + this.#width;
    const count = end / length;
    this.#reserve(count);
    const memory = this.#memory;
    const { calls } = memory;
    if (this.#copy.length < count * this.#length)
      this.#copy = new Int32Array(2 * count * this.#length);
    for (let index = 0; index < count; index++)
      this.#write(steps, index * length, this.#copy, index * this.#length);
    memory.write(this.#records, this.#copy, count * this.#length);
    if (count > 1) calls.touch(this.#records, this.#records + 4 * count * this.#length);
    for (let index = 0; index < count; index++) {
      const id = calls.add(this.#records + 4 * index * this.#length);
      const isNew = id === this.#size;
      if (isNew) {
        this.#size++;
        memory.refresh();
      }
      added(index * length, id, isNew);
    }
  }

  /**
   * Writes a step as a record: two numbers of its world a word, unless one takes more than 16 bits.
   */
  #write(steps: Int32Array, from: number, records: Int32Array, to: number): void {
    const width = this.#width;
    const start = from + offset.world;
    let bits = 0;
    for (let index = 0; index < width; index++) bits |= steps[start + index] as number;
    const isWide = bits >>> 16 !== 0;
    records[to] = steps[from + offset.hash] as number;
    records[to + 1] = steps[from + offset.action] as number;
    records[to + 2] = steps[from + offset.source] as number;
    records[to + 3] = isWide ? 1 : 0;
    if (isWide)
      for (let index = 0; index < width; index++)
        records[to + head + index] = steps[start + index] as number;
    else
      for (let index = 0; index < width; index += 2)
        records[to + head + index / 2] =
          (steps[start + index] as number) |
          (index + 1 < width ? (steps[start + index + 1] as number) << 16 : 0);
    if (isWide && width % 2 === 1) records[to + head + width] = 0;
  }

  #reserve(count: number): void {
    if (count <= this.#room) return;
    this.#room = Math.max(64, 2 * count);
    // the smaller ones before take no more than this
    this.#records = this.#memory.calls.allocate(4 * this.#room * this.#length);
  }
}
