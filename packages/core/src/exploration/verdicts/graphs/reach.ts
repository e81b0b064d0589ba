import type { Graph } from '../../search/traversal/graph.js';

/**
 * The worlds inside that are reachable from a start without leaving, and a shortest path to each
 * from an initial world.
 */
export class Reach {
  /** In the order of their distance from the initial worlds. */
  readonly worlds: Int32Array;
  /** By world: the edge that reached it, and the source of that edge; −1 for a start. */
  readonly #edge: Int32Array;
  readonly #source: Int32Array;

  /** `firsts`: how many initial worlds there are; they have the first numbers. */
  constructor(
    graph: Graph,
    inside: (world: number) => boolean,
    starts: Iterable<number>,
    firsts = 1,
  ) {
    const { ranges, targets, watch } = graph;
    const nearest = depths(graph, firsts);
    const depth = nearest.slice();
    const edges = new Int32Array(graph.worlds).fill(-1);
    const sources = new Int32Array(graph.worlds).fill(-1);
    const seen = new Uint8Array(graph.worlds);
    const settled = new Uint8Array(graph.worlds);
    const queue = new Int32Array(graph.worlds);
    const worlds = new Int32Array(graph.worlds);
    let head = 0;
    let tail = 0;
    let count = 0;
    const settle = (world: number) => {
      watch?.tick();
      settled[world] = 1;
      worlds[count++] = world;
      const end = ranges[2 * world + 1] as number;
      for (let edge = ranges[2 * world] as number; edge < end; edge++) {
        const target = targets[edge] as number;
        if (seen[target] === 1 || settled[target] === 1 || !inside(target)) continue;
        seen[target] = 1;
        depth[target] = (depth[world] as number) + 1;
        edges[target] = edge;
        sources[target] = world;
        queue[tail++] = target;
      }
    };
    const settleUpTo = (distance: number) => {
      for (; head < tail && (depth[queue[head] as number] as number) < distance; head++)
        if (settled[queue[head] as number] === 0) settle(queue[head] as number);
    };
    for (const start of nearestFirst(starts, nearest)) {
      if (!inside(start)) continue;
      settleUpTo(nearest[start] as number);
      if (settled[start] === 1) continue;
      depth[start] = nearest[start] as number;
      edges[start] = sources[start] = -1;
      settle(start);
    }
    settleUpTo(Infinity);
    this.worlds = worlds.subarray(0, count);
    this.#edge = edges;
    this.#source = sources;
  }

  /** The path to `entry`, from a start. */
  pathTo(entry: number): { readonly start: number; readonly approach: readonly number[] } {
    const approach: number[] = [];
    let start = entry;
    for (; (this.#edge[start] as number) >= 0; start = this.#source[start] as number)
      approach.push(this.#edge[start] as number);
    return { start, approach: approach.reverse() };
  }
}

/** By graph that no longer grows: {@link depths}. */
const known = new WeakMap<Graph, Int32Array>();

/**
 * By world: its distance from the nearest initial world; 0 for those that are unreachable. A graph
 * always has as many initial worlds.
 */
function depths(graph: Graph, firsts: number): Int32Array {
  const depth = known.get(graph) ?? depthsIn(graph, firsts);
  known.set(graph, depth);
  return depth;
}

function depthsIn({ ranges, targets, worlds, watch }: Graph, firsts: number): Int32Array {
  const depth = new Int32Array(worlds);
  const queue = new Int32Array(worlds);
  let tail = 0;
  while (tail < Math.min(firsts, worlds)) queue[tail] = tail++;
  for (let head = 0; head < tail; head++) {
    watch?.tick();
    const world = queue[head] as number;
    const next = (depth[world] as number) + 1;
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++) {
      const target = targets[edge] as number;
      if (target < firsts || depth[target] !== 0) continue;
      depth[target] = next;
      queue[tail++] = target;
    }
  }
  return depth;
}

/**
 * The worlds in the order of their depth (stable); worlds of a breadth-first search already are.
 */
function nearestFirst(worlds: Iterable<number>, depth: Int32Array): Int32Array {
  const found = worlds instanceof Int32Array ? worlds : Int32Array.from(worlds);
  const isNearer = (at: number) =>
    (depth[found[at] as number] as number) < (depth[found[at - 1] as number] as number);
  for (let index = 1; index < found.length; index++)
    if (isNearer(index))
      return Int32Array.from(
        [...found].sort((a, b) => (depth[a] as number) - (depth[b] as number)),
      );
  return found;
}
