/** How much memory there is. In a browser nobody can tell: there is no end to it, then. */

/** What of Node is asked; a browser has none of it. */
const { process: node } = globalThis as { readonly process?: NodeJS.Process };
const v8 = node?.getBuiltinModule?.('node:v8');
const os = node?.getBuiltinModule?.('node:os');

/** Beyond it a machine would start to swap. */
const part = 0.75;

/** How many bytes a search may take where it is told nothing: most of what this machine, or the container it runs in, has. */
export function mostMemory(): number {
  const machine = os?.totalmem() ?? Infinity;
  return part * Math.min(machine, node?.constrainedMemory?.() || machine);
}

/** The bytes of the heap and of all arrays in use; 0 where nobody can tell. Garbage counts until it is collected. */
export function memoryInUse(): number {
  if (!node?.memoryUsage) return 0;
  const { heapUsed, arrayBuffers } = node.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What the young generation of V8 takes at most, which its limit counts and which old objects cannot have. */
const young = 48 * 2 ** 20;
/** A heap that is fuller spends its time on collecting garbage, and is about to end the program. */
const fullest = 0.85;

/** How many bytes of objects the heap still has room for, before it is nearly full. */
export function heapRoom(): number {
  if (!v8) return Infinity;
  const most = Math.max(0, v8.getHeapStatistics().heap_size_limit - young);
  const old = v8.getHeapSpaceStatistics().filter(({ space_name }) => !space_name.includes('new') && !space_name.includes('read_only'));
  return fullest * most - old.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

/** How many threads can run at once. */
export const cores = (): number => os?.availableParallelism() ?? 1;
