/** How much memory a search may take, and how much is in use. A browser does not say. */

/** The parts of Node that are used; a browser has none of them. */
const { process: node } = globalThis as { readonly process?: NodeJS.Process };
const os = node?.getBuiltinModule?.('node:os');

/** The share of the memory that is used; with more, a machine may start to swap. */
const part = 0.75;

/** How many bytes a search may take by default: most of the memory of this machine or container. */
export function mostMemory(): number {
  const machine = os?.totalmem() ?? Infinity;
  return part * Math.min(machine, node?.constrainedMemory?.() || machine);
}

/** Whether {@link memoryInUse} knows. */
export const knowsMemory: boolean = node?.memoryUsage !== undefined;

/**
 * The bytes of the heap and of all arrays in use; 0 where this is unknown. Garbage counts until it
 * is collected.
 */
export function memoryInUse(): number {
  if (!node?.memoryUsage) return 0;
  const { heapUsed, arrayBuffers } = node.memoryUsage();
  return heapUsed + arrayBuffers;
}
