/**
 * Paths in a graph of worlds: the shortest ones to some worlds within a part of it, and those
 * along which a sum is largest.
 */
import type { KernelWorlds } from '../../search/kernel/kernel-store.js';
import { PairTable } from '../../search/tables/interner.js';
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

/**
 * Worlds to visit, each once at a time, in sweeps by ascending number: after a breadth-first search
 * few edges lead back.
 */
export class Agenda {
  /** By world: 1 if it is to be visited. */
  readonly #open: Uint8Array;
  #at = -1;

  constructor(worlds: number) {
    this.#open = new Uint8Array(worlds);
  }

  add(world: number): void {
    this.#open[world] = 1;
  }

  /** Removes and returns the next world, the lowest one after the highest; −1 if there is none. */
  next(): number {
    const open = this.#open;
    let at = this.#at + 1;
    if (open[at] !== 1) {
      at = open.indexOf(1, at);
      if (at < 0) at = open.indexOf(1);
    }
    if (at >= 0) open[at] = 0;
    this.#at = at;
    return at;
  }
}

/**
 * The worlds by what a property sees of their nodes, a code for each. Worlds are many, and their
 * kinds few.
 */
interface Kinds {
  /** By world. */
  readonly of: Int32Array;
  /** By kind and node, at kind · nodes + node. In kind 0 every node has code 0. */
  readonly codes: readonly number[];
}

/** `codeOf`: a non-negative integer for what is seen of a node; 0 for nothing. */
export function kindsOf(
  { store, graph, width }: Explored,
  nodes: number,
  codeOf: (vector: Int32Array, node: number) => number,
): Kinds {
  const vector = new Int32Array(width);
  const { size } = store;
  const of = new Int32Array(size);
  const codes: number[] = Array.from({ length: nodes }, () => 0);
  /** The kind of nodes as those of another kind, but for one that had code 0 there. */
  const extended = new PairTable();
  for (let world = 0; world < size; world++) {
    graph.watch?.tick();
    store.read(world, vector);
    let kind = 0;
    for (let node = 0; node < nodes; node++) {
      const code = codeOf(vector, node);
      if (code === 0) continue;
      const known = extended.get(kind, code * nodes + node);
      kind = known >= 0 ? known : add(kind, node, code);
    }
    of[world] = kind;
  }
  return { of, codes };

  function add(kind: number, node: number, code: number): number {
    const id = codes.length / nodes;
    for (let other = 0; other < nodes; other++)
      codes.push(other === node ? code : (codes[kind * nodes + other] as number));
    extended.add(kind, code * nodes + node, id);
    return id;
  }
}
