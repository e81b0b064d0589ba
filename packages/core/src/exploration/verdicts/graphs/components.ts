import type { Graph } from '../../search/traversal/graph.js';

/** A strongly connected component: each of its worlds reaches every other one within it. */
export interface Component {
  readonly members: Int32Array;
  readonly has: (world: number) => boolean;
}

/** A walk through a part of a graph: the worlds of open components, and those to return to. */
interface Walk {
  readonly part: number;
  readonly stack: Int32Array;
  stacked: number;
  readonly calls: Int32Array;
  called: number;
  clock: number;
}

/** By graph that no longer grows. */
const componentsOf = new WeakMap<Graph, Components>();
const onCycles = new WeakMap<Graph, Int32Array>();

/**
 * Strongly connected components of parts of a graph (Tarjan 1972), without recursion; linear in
 * worlds and edges.
 */
export class Components {
  /**
   * By world: the part of the graph that it belongs to, 0 for none. Each yielded component becomes
   * a part of its own.
   */
  readonly #part: Int32Array;
  /** By world: the order of entry, from 1. */
  readonly #entered: Int32Array;
  /** By world: the earliest world on the stack that it reaches. */
  readonly #low: Int32Array;
  /** By world: the next edge to follow. */
  readonly #next: Int32Array;
  readonly #onStack: Uint8Array;
  #parts = 0;

  /**
   * Those of a graph that no longer grows. All who decompose it share them: they take 17 bytes a
   * world.
   */
  static of(graph: Graph): Components {
    const components = componentsOf.get(graph) ?? new Components(graph);
    componentsOf.set(graph, components);
    return components;
  }

  private constructor(private readonly graph: Graph) {
    const { worlds } = graph;
    this.#part = new Int32Array(worlds);
    this.#entered = new Int32Array(worlds);
    this.#low = new Int32Array(worlds);
    this.#next = new Int32Array(worlds);
    this.#onStack = new Uint8Array(worlds);
  }

  /**
   * The components of `worlds` that contain a cycle. A caller may decompose one further before it
   * takes the next.
   */
  *cycles(worlds: Int32Array): Generator<Component> {
    const [inPart, entered, low] = [this.#part, this.#entered, this.#low];
    const part = ++this.#parts;
    for (let index = 0; index < worlds.length; index++) {
      const world = worlds[index] as number;
      inPart[world] = part;
      entered[world] = 0;
    }
    const walk: Walk = {
      part,
      stack: new Int32Array(worlds.length),
      stacked: 0,
      calls: new Int32Array(worlds.length),
      called: 0,
      clock: 0,
    };
    for (let index = 0; index < worlds.length; index++) {
      const root = worlds[index] as number;
      if (inPart[root] !== part || entered[root] !== 0) continue;
      this.#enter(walk, root);
      while (walk.called > 0) {
        const world = walk.calls[walk.called - 1] as number;
        const open = this.#follow(walk, world);
        if (open >= 0) {
          this.#enter(walk, open);
          continue;
        }
        this.#leave(walk, world);
        if (low[world] !== entered[world]) continue;
        const members = this.#taken(walk, world);
        if (members.length > 1 || this.#loopsToItself(world))
          yield this.#component(members.slice());
      }
    }
  }

  #enter(walk: Walk, world: number): void {
    this.graph.watch?.tick();
    this.#entered[world] = this.#low[world] = ++walk.clock;
    this.#next[world] = this.graph.ranges[2 * world] as number;
    this.#onStack[world] = 1;
    walk.stack[walk.stacked++] = world;
    walk.calls[walk.called++] = world;
  }

  /** The next world that an edge leads to and that is not entered; −1 if there is none. */
  #follow({ part }: Walk, world: number): number {
    const { ranges, targets } = this.graph;
    const [inPart, entered, onStack] = [this.#part, this.#entered, this.#onStack];
    const end = ranges[2 * world + 1] as number;
    let edge = this.#next[world] as number;
    let least = this.#low[world] as number;
    let open = -1;
    for (; edge < end && open < 0; edge++) {
      const target = targets[edge] as number;
      if (inPart[target] !== part) continue;
      if (entered[target] === 0) open = target;
      else if (onStack[target] === 1 && (entered[target] as number) < least)
        least = entered[target] as number;
    }
    this.#next[world] = edge;
    this.#low[world] = least;
    return open;
  }

  /** Returns from a world to the one that led to it. */
  #leave(walk: Walk, world: number): void {
    walk.called--;
    if (walk.called === 0) return;
    const caller = walk.calls[walk.called - 1] as number;
    if ((this.#low[world] as number) < (this.#low[caller] as number))
      this.#low[caller] = this.#low[world] as number;
  }

  /** The worlds on the stack from `first` on, which are taken from it. */
  #taken(walk: Walk, first: number): Int32Array {
    const end = walk.stacked;
    let member = -1;
    while (member !== first) {
      member = walk.stack[--walk.stacked] as number;
      this.#onStack[member] = 0;
    }
    return walk.stack.subarray(walk.stacked, end);
  }

  #component(members: Int32Array): Component {
    const inPart = this.#part;
    const part = ++this.#parts;
    for (let index = 0; index < members.length; index++) inPart[members[index] as number] = part;
    return { members, has: (world) => inPart[world] === part };
  }

  #loopsToItself(world: number): boolean {
    const { ranges, targets } = this.graph;
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++)
      if (targets[edge] === world) return true;
    return false;
  }
}

/**
 * The worlds on a cycle of a graph that no longer grows, in the order of their numbers. Most graphs
 * have none.
 */
export function worldsOnCycles(graph: Graph): Int32Array {
  const known = onCycles.get(graph);
  if (known) return known;
  const candidates = nearCycles(graph);
  const isOnCycle = new Uint8Array(candidates.length === 0 ? 0 : graph.worlds);
  if (candidates.length > 0)
    for (const { members } of Components.of(graph).cycles(candidates))
      for (const world of members) isOnCycle[world] = 1;
  const found = candidates.filter((world) => isOnCycle[world] === 1);
  onCycles.set(graph, found);
  return found;
}

/**
 * The worlds on cycles and perhaps a few more: what remains if worlds to which no edge leads are
 * removed again and again (Kahn 1962), and then those without an edge to what remains.
 */
function nearCycles(graph: Graph): Int32Array {
  if (!graph.leadsBack) return new Int32Array(0);
  const degrees = degreesOf(graph);
  removeSources(graph, degrees);
  removeEnds(graph, degrees);
  const found = new Int32Array(graph.worlds);
  let count = 0;
  for (let world = 0; world < found.length; world++)
    if (degrees[world] !== removed) found[count++] = world;
  return found.slice(0, count);
}

/** By world, instead of how many edges lead to it from worlds that are not removed. */
const removed = -1;

function degreesOf({ ranges, targets, worlds }: Graph): Int32Array {
  const degrees = new Int32Array(worlds);
  for (let world = 0; world < worlds; world++) {
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++) {
      const target = targets[edge] as number;
      degrees[target] = (degrees[target] as number) + 1;
    }
  }
  return degrees;
}

/** Removes worlds to which no edge leads, again and again. */
function removeSources({ ranges, targets, worlds, watch }: Graph, degrees: Int32Array): void {
  const open: number[] = [];
  for (let next = 0; next < worlds; next++) {
    if (degrees[next] !== 0) continue;
    for (let world: number | undefined = next; world !== undefined; world = open.pop()) {
      watch?.tick();
      degrees[world] = removed;
      const end = ranges[2 * world + 1] as number;
      for (let edge = ranges[2 * world] as number; edge < end; edge++) {
        const target = targets[edge] as number;
        const degree = (degrees[target] as number) - 1;
        degrees[target] = degree;
        if (degree === 0 && target < next) open.push(target); // the others are still to come
      }
    }
  }
}

/** Removes worlds without an edge to one that is left, the last ones first. */
function removeEnds({ ranges, targets, worlds, watch }: Graph, degrees: Int32Array): void {
  for (let world = worlds - 1; world >= 0; world--) {
    if (degrees[world] === removed) continue;
    watch?.tick();
    const end = ranges[2 * world + 1] as number;
    let edge = ranges[2 * world] as number;
    while (edge < end && degrees[targets[edge] as number] === removed) edge++;
    if (edge === end) degrees[world] = removed;
  }
}
