import type { KernelMemory } from './kernel-memory.js';
import type { Visited } from './visited.js';

/** The worlds of the last search of a kernel; see packages/core/kernel/worlds.ts. */
export class KernelWorlds implements Visited {
  constructor(private readonly memory: KernelMemory) {}

  get size(): number {
    return this.memory.size;
  }

  get bytes(): number {
    return this.memory.bytes;
  }

  read(id: number, into: Int32Array): void {
    this.memory.read(id, into);
  }

  parent(id: number): number {
    return this.memory.origin(id, 0);
  }

  action(id: number): number {
    return this.memory.origin(id, 1);
  }
}
