import type { Graph } from '../../search/traversal/graph.js';

/** A strongly connected component: each of its worlds reaches every other one within it. */
export interface Component {
  readonly members: Int32Array;
  readonly has: (world: number) => boolean;
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
    const { ranges, targets, watch } = this.graph;
    const [inPart, entered, low, next, onStack] = [
      this.#part,
      this.#entered,
      this.#low,
      this.#next,
      this.#onStack,
    ];
    const part = ++this.#parts;
    for (let index = 0; index < worlds.length; index++) {
      const world = worlds[index] as number;
      inPart[world] = part;
      entered[world] = 0;
    }
    const stack = new Int32Array(worlds.length);
    const calls = new Int32Array(worlds.length);
    let stacked = 0;
    let called = 0;
    let clock = 0;
    for (let index = 0; index < worlds.length; index++) {
      const root = worlds[index] as number;
      if (inPart[root] !== part || entered[root] !== 0) continue;
      let open = root; // the world to enter, −1 for none
      while (called > 0 || open >= 0) {
        if (open >= 0) {
          watch?.tick();
          entered[open] = low[open] = ++clock;
          next[open] = ranges[2 * open] as number;
          onStack[open] = 1;
          stack[stacked++] = open;
          calls[called++] = open;
        }
        const world = calls[called - 1] as number;
        const end = ranges[2 * world + 1] as number;
        let edge = next[world] as number;
        let least = low[world] as number;
        for (open = -1; edge < end && open < 0; edge++) {
          const target = targets[edge] as number;
          if (inPart[target] !== part) continue;
          if (entered[target] === 0) open = target;
          else if (onStack[target] === 1 && (entered[target] as number) < least)
            least = entered[target] as number;
        }
        next[world] = edge;
        low[world] = least;
        if (open >= 0) continue;
        called--;
        if (called > 0) {
          const caller = calls[called - 1] as number;
          if (least < (low[caller] as number)) low[caller] = least;
        }
        if (least !== entered[world]) continue;
        const size = stacked;
        let member = -1;
        while (member !== world) {
          member = stack[--stacked] as number;
          onStack[member] = 0;
        }
        if (size - stacked > 1 || this.#loopsToItself(world))
          yield this.#component(stack.slice(stacked, size));
      }
    }
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
  const { ranges, targets, worlds, watch } = graph;
  if (!hasBackEdge(graph)) return new Int32Array(0);
  /** By world: how many edges lead to it from worlds that are not removed; −1 once it is. */
  const degrees = new Int32Array(worlds);
  for (let world = 0; world < worlds; world++) {
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++) {
      const target = targets[edge] as number;
      degrees[target] = (degrees[target] as number) + 1;
    }
  }
  let left = worlds;
  const open: number[] = [];
  for (let next = 0; next < worlds; next++) {
    if (degrees[next] !== 0) continue;
    for (let world: number | undefined = next; world !== undefined; world = open.pop()) {
      watch?.tick();
      degrees[world] = -1;
      left--;
      const end = ranges[2 * world + 1] as number;
      for (let edge = ranges[2 * world] as number; edge < end; edge++) {
        const target = targets[edge] as number;
        const degree = (degrees[target] as number) - 1;
        degrees[target] = degree;
        if (degree === 0 && target < next) open.push(target); // the others are still to come
      }
    }
  }
  for (let world = worlds - 1; world >= 0 && left > 0; world--) {
    if (degrees[world] === -1) continue;
    watch?.tick();
    const end = ranges[2 * world + 1] as number;
    let edge = ranges[2 * world] as number;
    while (edge < end && degrees[targets[edge] as number] === -1) edge++;
    if (edge < end) continue;
    degrees[world] = -1;
    left--;
  }
  const found = new Int32Array(left);
  for (let world = 0, at = 0; at < left; world++) if (degrees[world] !== -1) found[at++] = world;
  return found;
}

/** Whether an edge leads to the same or an earlier world: every cycle has one. */
function hasBackEdge({ ranges, targets, worlds, watch }: Graph): boolean {
  for (let world = 0; world < worlds; world++) {
    watch?.tick();
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++)
      if ((targets[edge] as number) <= world) return true;
  }
  return false;
}
