import type { Graph } from '../search/graph.js';

/** What becomes of a way's sum on one more edge. A larger sum is worse, and stays so on any edge. */
export interface Adding {
  /** What ways begin with. */
  readonly first: number;
  /** The sum behind `edge`, which leads on from `source`. */
  readonly behind: (sum: number, source: number, edge: number) => number;
  /** Whether `edge` leads to something that must not be, for a way with the sum `sum` so far. */
  readonly breaks: (sum: number, source: number, edge: number) => boolean;
}

/** Where no way leads to a world yet: no sum is at most that. */
const none = Number.NaN;

interface Way {
  readonly world: number;
  readonly sum: number;
  /** The last one; none where nothing is before. */
  readonly edge: number;
  readonly before: Way | undefined;
}

/**
 * The edges of a shortest way from the first world that ends with what must not be; undefined where there is none.
 *
 * Of the ways to a world none needs to be followed on that is as long as another and no worse. Wherever a way can be gone around and gets
 * worse each time, this never ends: that must be known not to be so.
 */
export function longestPath(graph: Graph, worlds: number, adding: Adding): readonly number[] | undefined {
  return someBreaks(graph, worlds, adding) ? shortestThatBreaks(graph, worlds, adding) : undefined;
}

/** Without a memory of the ways, which takes much: mostly there is nothing to be told. */
function someBreaks(graph: Graph, worlds: number, { first, behind, breaks }: Adding): boolean {
  const worst = new Float64Array(worlds).fill(none);
  const isWaiting = new Uint8Array(worlds);
  worst[0] = first;
  let now: number[] = [0];
  while (now.length > 0) {
    const next: number[] = [];
    for (const source of now) {
      isWaiting[source] = 0;
      const sum = worst[source] as number;
      for (let edge = graph.first(source); edge < graph.end(source); edge++) {
        if (breaks(sum, source, edge)) return true;
        const target = graph.target(edge);
        const further = behind(sum, source, edge);
        if (further <= (worst[target] as number)) continue;
        worst[target] = further;
        if (isWaiting[target] === 0) next.push(target);
        isWaiting[target] = 1;
      }
    }
    now = next;
  }
  return false;
}

function shortestThatBreaks(graph: Graph, worlds: number, { first, behind, breaks }: Adding): readonly number[] | undefined {
  /** By world: the worst sum of a way to it, of those as long as the ways of now or shorter. */
  const worst = new Float64Array(worlds).fill(none);
  worst[0] = first;
  let ways: Way[] = [{ world: 0, sum: first, edge: -1, before: undefined }];
  while (ways.length > 0) {
    const longer: Way[] = [];
    for (const before of ways)
      for (let edge = graph.first(before.world); edge < graph.end(before.world); edge++) {
        const world = graph.target(edge);
        const sum = behind(before.sum, before.world, edge);
        const way: Way = { world, sum, edge, before };
        if (breaks(before.sum, before.world, edge)) return edgesOf(way);
        if (sum <= (worst[world] as number)) continue;
        worst[world] = sum;
        longer.push(way);
      }
    ways = longer;
  }
  return undefined;
}

function edgesOf(way: Way): readonly number[] {
  const edges: number[] = [];
  for (let at = way; at.before; at = at.before) edges.push(at.edge);
  return edges.reverse();
}
