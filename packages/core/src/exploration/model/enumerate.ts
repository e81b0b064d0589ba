import type { PathEdge, PathGraph } from './path-graph.js';

/** One path, from the initial world. */
export interface GeneratedPath {
  /** By step, the position of its action among those of its world, from 0. */
  readonly steps: readonly number[];
  /** By step, the position of its text in the list of actions. */
  readonly actions: readonly number[];
  /** The positions in the list of transitions of those that it takes. */
  readonly takes: readonly number[];
}

interface Bounds {
  readonly paths: number;
  /** Of all paths together. */
  readonly steps: number;
  readonly stop?: (() => boolean) | undefined;
  readonly onPath?: (paths: number) => void;
}

interface Enumerated {
  readonly paths: readonly GeneratedPath[];
  readonly limit?: 'paths' | 'steps' | 'interrupted';
}

/** The paths of a graph, without those that are the beginning of another one. */
export function enumeratePaths(
  graph: PathGraph,
  kind: 'shortest' | 'simple',
  bounds: Bounds,
): Enumerated {
  return kind === 'shortest' ? treePaths(graph, bounds) : simplePaths(graph, bounds);
}

/** Collects paths up to the bounds. */
class Collected {
  readonly paths: GeneratedPath[] = [];
  limit: Enumerated['limit'];
  #steps = 0;

  constructor(
    private readonly started: readonly number[],
    private readonly bounds: Bounds,
  ) {}

  /** Whether there is room for more. */
  add(path: readonly PathEdge[]): boolean {
    const { paths, steps: mostSteps, stop, onPath } = this.bounds;
    if (this.paths.length >= paths) this.limit = 'paths';
    else if (this.#steps + path.length > mostSteps) this.limit = 'steps';
    else if (this.paths.length % 64 === 63 && stop?.()) this.limit = 'interrupted';
    if (this.limit) return false;
    const takes = new Set(this.started);
    for (const { taken } of path) for (const transition of taken) takes.add(transition);
    const steps = path.map(({ number }) => number);
    const actions = path.map(({ text }) => text);
    this.paths.push({ steps, actions, takes: [...takes].sort((one, other) => one - other) });
    this.#steps += path.length;
    onPath?.(this.paths.length);
    return true;
  }

  get result(): Enumerated {
    return { paths: this.paths, ...(this.limit && { limit: this.limit }) };
  }
}

/** The shortest paths, one to each world, are a tree; those to its leaves contain the others. */
function treePaths({ edges, started }: PathGraph, bounds: Bounds): Enumerated {
  const before = new Map<number, { readonly from: number; readonly edge: PathEdge }>();
  const inner = new Set<number>();
  const queue = [0];
  for (const from of queue)
    for (const edge of edges[from] ?? []) {
      if (edge.target === 0 || before.has(edge.target)) continue;
      before.set(edge.target, { from, edge });
      inner.add(from);
      queue.push(edge.target);
    }
  const collected = new Collected(started, bounds);
  for (const leaf of queue) {
    if (inner.has(leaf)) continue;
    const path: PathEdge[] = [];
    for (let at = before.get(leaf); at; at = before.get(at.from)) path.push(at.edge);
    if (!collected.add(path.reverse())) break;
  }
  return collected.result;
}

/** All paths that visit no world twice and cannot go on, depth first. */
function simplePaths({ edges, started }: PathGraph, bounds: Bounds): Enumerated {
  const collected = new Collected(started, bounds);
  const visited = new Set([0]);
  const path: PathEdge[] = [];
  /** By depth: the next edge of the world there, and whether one was followed. */
  const open = [{ next: 0, isInner: false }];
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const world = path.at(-1)?.target ?? 0;
    const edge = edges[world]?.[top.next++];
    if (edge && visited.has(edge.target)) continue;
    if (edge) {
      top.isInner = true;
      visited.add(edge.target);
      path.push(edge);
      open.push({ next: 0, isInner: false });
      continue;
    }
    if (!top.isInner && !collected.add(path)) break;
    open.pop();
    path.pop();
    visited.delete(world);
  }
  return collected.result;
}
