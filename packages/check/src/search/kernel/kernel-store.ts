import * as record from './format/record.js';
import { mostWorldBytes } from './format/search.js';
import { KernelMemory } from './kernel-memory.js';

/**
 * The worlds that a search has found, in the memory of a kernel: each has a number, its predecessor
 * and the action that led to it first. See packages/check/kernel/worlds.ts.
 */
export class KernelWorlds {
  constructor(protected readonly memory: KernelMemory) {}

  /** How many there are: their numbers are 0 … `size` − 1. */
  get size(): number {
    return this.memory.size;
  }

  get bytes(): number {
    return this.memory.bytes;
  }

  /** Copies world `id` into `into`. */
  read(id: number, into: Int32Array): void {
    this.memory.read(id, into);
  }

  /** −1 for an initial world. */
  parent(id: number): number {
    return this.memory.origin(id, 0);
  }

  action(id: number): number {
    return this.memory.origin(id, 1);
  }

  /** The path from an initial world to `id`: its worlds, including both ends, and its actions. */
  pathTo(id: number): { readonly worlds: readonly number[]; readonly actions: readonly number[] } {
    const worlds = [id];
    const actions: number[] = [];
    for (let at = id; this.parent(at) >= 0; at = this.parent(at)) {
      actions.push(this.action(at));
      worlds.push(this.parent(at));
    }
    return { worlds: worlds.reverse(), actions: actions.reverse() };
  }
}

/** Called for each step that is looked up, with the number of its target. */
type Known = (source: number, action: number, target: number, isNew: boolean) => void;

/**
 * Worlds that JavaScript finds, in the memory of a kernel: compared exactly, never by a hash alone.
 * Steps are pushed, and looked up together.
 */
export class KernelStore extends KernelWorlds {
  /** The address of the target of a step that is pushed. */
  readonly #target: number;
  #source = -1;
  #size = 0;

  constructor(width: number, mostBytes = mostWorldBytes) {
    const memory = new KernelMemory();
    super(memory);
    memory.prepare(width, mostBytes);
    const { calls } = memory;
    calls.prepareWorlds(width, mostBytes);
    calls.preparePending(width);
    this.#target = calls.allocate(4 * (width + 1));
  }

  override get size(): number {
    return this.#size;
  }

  /** How many steps are not yet looked up. */
  get waiting(): number {
    const { records, end, recordBytes } = this.memory.calls;
    return (end.value - records.value) / recordBytes.value;
  }

  /** Adds a step to those that wait. */
  push(source: number, action: number, world: Int32Array): void {
    const { memory } = this;
    if (source !== this.#source) memory.calls.setSource(source);
    this.#source = source;
    memory.write(this.#target, world);
    memory.calls.push(action, this.#target);
  }

  /** Looks up the steps that wait, in their order, and calls `known` for each. */
  lookUp(known: Known): void {
    const { memory } = this;
    const { calls } = memory;
    const [first, end, bytes] = [calls.records.value, calls.end.value, calls.recordBytes.value];
    if (end - first > bytes) calls.touch(first, end);
    for (let at = first; at !== end; at += bytes) {
      const target = calls.add(at);
      const isNew = target === this.#size;
      if (isNew) this.#size++;
      memory.refresh();
      known(memory.word(at, record.source), memory.word(at, record.action), target, isNew);
    }
    calls.clear();
  }
}
