/** How much fits into the heap. A browser does not say: then there is no limit. */

/** The parts of Node that are used; a browser has none of them. */
const { process: node } = globalThis as { readonly process?: NodeJS.Process };
const v8 = node?.getBuiltinModule?.('node:v8');

/**
 * The most that the young generation of V8 takes; the heap limit includes it, and old objects
 * cannot use it.
 */
const young = 48 * 2 ** 20;
/** A fuller heap spends its time on garbage collection, and may end the program. */
const fullest = 0.85;

/** How many bytes of objects fit into the heap before it is nearly full. */
export function freeHeap(): number {
  if (!v8) return Infinity;
  const most = Math.max(0, v8.getHeapStatistics().heap_size_limit - young);
  const old = v8
    .getHeapSpaceStatistics()
    .filter(({ space_name }) => !space_name.includes('new') && !space_name.includes('read_only'));
  return fullest * most - old.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

/**
 * The same once garbage is collected, which takes up to a second: of a full heap, a run before this
 * one may have left most.
 */
export function freeHeapWithoutGarbage(): number {
  const vm = node?.getBuiltinModule?.('node:vm');
  if (!v8 || !vm) return freeHeap();
  v8.setFlagsFromString('--expose-gc'); // for new contexts only: this one gets no `gc`
  const collect: unknown = vm.runInNewContext('gc');
  v8.setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
  return freeHeap();
}

/** The size of a network. */
export interface Size {
  readonly nodes: number;
  readonly links: number;
}

/**
 * The most nodes for which a network of this shape needs at most `free` bytes. In a dense network,
 * links grow with the square of the nodes.
 */
export function mostFitting(size: Size, bytes: (size: Size) => number, free: number): number {
  const isMesh = size.links > size.nodes ** 2 / 4;
  const linksOf = (nodes: number) => size.links * (nodes / size.nodes) ** (isMesh ? 2 : 1);
  let least = 0;
  let most = size.nodes;
  while (most - least > 1) {
    const nodes = Math.floor((least + most) / 2);
    if (bytes({ nodes, links: linksOf(nodes) }) <= free) least = nodes;
    else most = nodes;
  }
  return least;
}

/** Bytes in readable form, such as `8,192 MB`. */
export const megabytes = (bytes: number): string =>
  `${Math.ceil(bytes / 2 ** 20).toLocaleString('en-US')} MB`;
