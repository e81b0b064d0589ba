import type { KernelWorlds } from '../../search/kernel/kernel-worlds.js';
import type { Graph } from '../../search/traversal/graph.js';
import { Agenda } from './agenda.js';

/** The worlds of a search, their edges, and how many numbers a world has. */
export interface Explored {
  readonly store: KernelWorlds;
  readonly graph: Graph;
  readonly width: number;
}

/**
 * The weight of paths. It is monotone: a path with a larger sum keeps a larger sum over any edge,
 * and is a violation if one with less is.
 */
export interface PathSum {
  /** The sum of the empty path. */
  readonly first: number;
  /**
   * The sum of a path with this sum extended by `edge`, which leaves `source`; NaN if it is a
   * violation.
   */
  readonly after: (sum: number, source: number, edge: number) => number;
  /**
   * By world: an edge between worlds with the same number changes no sum and is no violation.
   * Absent: that is unknown.
   */
  readonly kinds?: Int32Array;
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
 * The edges of a shortest path from the initial world that is a violation; undefined if there is
 * none.
 *
 * A path is not extended if another one to the same world is no longer and has at least its sum. No
 * cycle may increase the sum: otherwise this does not terminate.
 */
export function longestPath(
  graph: Graph,
  worlds: number,
  pathSum: PathSum,
): readonly number[] | undefined {
  return someViolates(graph, worlds, pathSum)
    ? shortestViolation(graph, worlds, pathSum)
    : undefined;
}

/**
 * Keeps no paths, which take much memory: usually there is no violation. Without a back edge it
 * visits each world once, with its largest sum.
 */
function someViolates(graph: Graph, worlds: number, { first, after, kinds }: PathSum): boolean {
  const { ranges, targets, watch } = graph;
  const largest = new Float64Array(worlds).fill(none);
  const agenda = new Agenda(worlds);
  largest[0] = first;
  agenda.add(0);
  for (let source = agenda.next(); source >= 0; source = agenda.next()) {
    watch?.tick();
    const sum = largest[source] as number;
    const end = ranges[2 * source + 1] as number;
    for (let edge = ranges[2 * source] as number; edge < end; edge++) {
      const target = targets[edge] as number;
      const further = kinds && kinds[source] === kinds[target] ? sum : after(sum, source, edge);
      if (Number.isNaN(further)) return true;
      if (further <= (largest[target] as number)) continue;
      largest[target] = further;
      agenda.add(target);
    }
  }
  return false;
}

/**
 * The largest sum of a path from the initial world; Infinity if a cycle increases it. An edge
 * increases a sum by less than `mostPerEdge`.
 */
export function largestSum(
  graph: Graph,
  worlds: number,
  { first, after }: PathSum,
  mostPerEdge: number,
): number {
  let most = first;
  someViolates(graph, worlds, {
    first,
    after: (sum, source, edge) => {
      const further = after(sum, source, edge);
      if (further > worlds * mostPerEdge) most = Infinity; // more than any path without a cycle
      most = Math.max(most, further);
      return most === Infinity ? none : further;
    },
  });
  return most;
}

function shortestViolation(
  graph: Graph,
  worlds: number,
  { first, after }: PathSum,
): readonly number[] | undefined {
  const { ranges, targets, watch } = graph;
  /** By world: the largest sum of the paths to it so far. */
  const largest = new Float64Array(worlds).fill(none);
  largest[0] = first;
  let paths: Path[] = [{ world: 0, sum: first, edge: -1, before: undefined }];
  while (paths.length > 0) {
    const longer: Path[] = [];
    for (const before of paths) {
      watch?.tick();
      const end = ranges[2 * before.world + 1] as number;
      for (let edge = ranges[2 * before.world] as number; edge < end; edge++) {
        const world = targets[edge] as number;
        const sum = after(before.sum, before.world, edge);
        const path: Path = { world, sum, edge, before };
        if (Number.isNaN(sum)) return edgesOf(path);
        if (sum <= (largest[world] as number)) continue;
        largest[world] = sum;
        longer.push(path);
      }
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
