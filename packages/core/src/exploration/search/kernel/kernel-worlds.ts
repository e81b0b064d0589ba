import type { KernelMemory } from './kernel-memory.js';

/**
 * The worlds that a search has found, in the memory of a kernel: each has a number, its predecessor
 * and the action that led to it first. See packages/core/kernel/worlds.ts.
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
