import type { Graph } from '../search/graph.js';
import type { Visited } from '../search/visited.js';

/** The worlds of a search, their edges, and how many numbers a world has. */
export interface Explored {
  readonly store: Visited;
  readonly graph: Graph;
  readonly width: number;
}

/** The weight of paths. It is monotone: a path with a larger sum keeps a larger sum over any edge. */
export interface PathSum {
  /** The sum of the empty path. */
  readonly first: number;
  /** The sum of a path extended by `edge`, which leaves `source`. */
  readonly after: (sum: number, source: number, edge: number) => number;
  /** Whether a path with the sum `sum`, extended by `edge`, is a violation. */
  readonly violates: (sum: number, source: number, edge: number) => boolean;
}

/** The sum of a world without a path: no sum is at most NaN. */
const none = Number.NaN;

interface Path {
  readonly world: number;
  readonly sum: number;
  /** The last edge; −1 for the empty path. */
  readonly edge: number;
  readonly before: Path | undefined;
}

/**
 * The edges of a shortest path from the initial world that is a violation; undefined if there is none.
 *
 * A path is not extended if another one to the same world is no longer and has at least its sum. No cycle may increase the sum: otherwise this
 * does not terminate.
 */
export function longestPath(graph: Graph, worlds: number, pathSum: PathSum): readonly number[] | undefined {
  return someViolates(graph, worlds, pathSum) ? shortestViolation(graph, worlds, pathSum) : undefined;
}

/** Keeps no paths, which take much memory: usually there is no violation. */
function someViolates(graph: Graph, worlds: number, { first, after, violates }: PathSum): boolean {
  const largest = new Float64Array(worlds).fill(none);
  const isWaiting = new Uint8Array(worlds);
  largest[0] = first;
  let now: number[] = [0];
  while (now.length > 0) {
    const next: number[] = [];
    for (const source of now) {
      isWaiting[source] = 0;
      const sum = largest[source] as number;
      for (let edge = graph.first(source); edge < graph.end(source); edge++) {
        if (violates(sum, source, edge)) return true;
        const target = graph.target(edge);
        const further = after(sum, source, edge);
        if (further <= (largest[target] as number)) continue;
        largest[target] = further;
        if (isWaiting[target] === 0) next.push(target);
        isWaiting[target] = 1;
      }
    }
    now = next;
  }
  return false;
}

/** The largest sum of a path from the initial world; Infinity if a cycle increases it. An edge increases a sum by less than `mostPerEdge`. */
export function largestSum(graph: Graph, worlds: number, { first, after }: Omit<PathSum, 'violates'>, mostPerEdge: number): number {
  let most = first;
  someViolates(graph, worlds, {
    first,
    after: (sum, source, edge) => {
      const further = after(sum, source, edge);
      most = Math.max(most, further > worlds * mostPerEdge ? Infinity : further); // more than any path without a cycle
      return further;
    },
    violates: () => most === Infinity,
  });
  return most;
}

function shortestViolation(graph: Graph, worlds: number, { first, after, violates }: PathSum): readonly number[] | undefined {
  /** By world: the largest sum of the paths to it so far. */
  const largest = new Float64Array(worlds).fill(none);
  largest[0] = first;
  let paths: Path[] = [{ world: 0, sum: first, edge: -1, before: undefined }];
  while (paths.length > 0) {
    const longer: Path[] = [];
    for (const before of paths)
      for (let edge = graph.first(before.world); edge < graph.end(before.world); edge++) {
        const world = graph.target(edge);
        const sum = after(before.sum, before.world, edge);
        const path: Path = { world, sum, edge, before };
        if (violates(before.sum, before.world, edge)) return edgesOf(path);
        if (sum <= (largest[world] as number)) continue;
        largest[world] = sum;
        longer.push(path);
      }
    paths = longer;
  }
  return undefined;
}

function edgesOf(path: Path): readonly number[] {
  const edges: number[] = [];
  for (let at = path; at.before; at = at.before) edges.push(at.edge);
  return edges.reverse();
}
