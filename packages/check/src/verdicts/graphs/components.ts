/**
 * Strongly connected components of a graph of worlds, and what needs them: which worlds are on
 * cycles, walks through all of a component, and whether a run may stay in one fairly.
 */
import { enlarge } from '../../search/kernel/kernel-memory.js';
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

/** A closed walk in a component, built piece by piece. */
export class ClosedWalk {
  readonly edges: number[] = [];
  #at: number;
  /**
   * By world, for the current piece: the edge that led there, and its source; valid if `#seen` is
   * the number of the piece.
   */
  readonly #edge: Int32Array;
  readonly #source: Int32Array;
  readonly #seen: Int32Array;
  #pieces = 0;

  constructor(
    private readonly graph: Graph,
    private readonly component: Component,
    readonly entry: number,
  ) {
    this.#at = entry;
    this.#edge = new Int32Array(graph.worlds);
    this.#source = new Int32Array(graph.worlds);
    this.#seen = new Int32Array(graph.worlds);
  }

  /**
   * Extends the walk by a shortest path over an edge that is `wanted`, unless it has one already.
   */
  over(wanted: (edge: number) => boolean): void {
    if (!this.edges.some(wanted)) this.#walk(wanted);
  }

  /** Extends the walk to a world that is `wanted`, unless it has visited one already. */
  through(wanted: (world: number) => boolean): void {
    if (!wanted(this.entry)) this.over((edge) => wanted(this.graph.target(edge)));
  }

  /** Extends the walk back to its first world. */
  close(): void {
    if (this.edges.length === 0 || this.#at !== this.entry)
      this.#walk((edge) => this.graph.target(edge) === this.entry);
  }

  #walk(wanted: (edge: number) => boolean): void {
    const { graph, component } = this;
    const piece = ++this.#pieces;
    const from = this.#at;
    const open = [from];
    this.#seen[from] = piece;
    for (const world of open) {
      for (let edge = graph.first(world); edge < graph.end(world); edge++) {
        const target = graph.target(edge);
        if (!component.has(target)) continue;
        if (wanted(edge)) return this.#appendPath(edge, world, from);
        if (this.#seen[target] === piece) continue;
        this.#seen[target] = piece;
        this.#edge[target] = edge;
        this.#source[target] = world;
        open.push(target);
      }
    }
  }

  /** Appends the path from `from` to `world`, and then the edge `last`. */
  #appendPath(last: number, world: number, from: number): void {
    const path = [last];
    for (let at = world; at !== from; at = this.#source[at] as number)
      path.push(this.#edge[at] as number);
    for (const edge of path.reverse()) this.edges.push(edge);
    this.#at = this.graph.target(last);
  }
}

/**
 * The fairness classes of the actions of a graph, as a table. An action without a class is unfair.
 */
export class FairClasses {
  /** By action; −1 for an unfair one. */
  readonly #classes: Int32Array;
  /** By class: marks of the current question; see {@link #fresh}. */
  readonly #marks: Int32Array;
  #mark = 0;

  constructor(
    private readonly graph: Graph,
    fairClass: (action: number) => number,
  ) {
    const { actions, edges } = graph;
    let last = -1;
    for (let edge = 0; edge < edges; edge++)
      if ((actions[edge] as number) > last) last = actions[edge] as number;
    this.#classes = Int32Array.from({ length: last + 1 }, (_, action) => fairClass(action));
    this.#marks = new Int32Array(1 + this.#classes.reduce((most, one) => Math.max(most, one), -1));
  }

  /** The class of the action of an edge. */
  of(edge: number): number {
    return this.#classes[this.graph.actions[edge] as number] as number;
  }

  /** Whether some fair action is enabled in a world. */
  areEnabled(world: number): boolean {
    const { ranges, actions } = this.graph;
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++)
      if ((this.#classes[actions[edge] as number] as number) >= 0) return true;
    return false;
  }

  /** The numbers below {@link Graph.worlds} without an edge of a class. */
  worldsWithout(): Int32Array {
    const { ranges, actions, worlds, watch } = this.graph;
    const classes = this.#classes;
    let found = new Int32Array(1024);
    let count = 0;
    for (let world = 0; world < worlds; world++) {
      watch?.tick();
      const end = ranges[2 * world + 1] as number;
      let edge = ranges[2 * world] as number;
      while (edge < end && (classes[actions[edge] as number] as number) < 0) edge++;
      if (edge < end) continue;
      if (count === found.length) found = enlarge(found);
      found[count++] = world;
    }
    return found.subarray(0, count);
  }

  /** Whether a world enables one of these classes. */
  enables(world: number, classes: readonly number[]): boolean {
    const { ranges } = this.graph;
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++)
      if (classes.includes(this.of(edge))) return true;
    return false;
  }

  /** The classes of the edges within a component. */
  takenIn({ members, has }: Component): readonly number[] {
    const { ranges, targets, watch } = this.graph;
    const [marks, mark] = [this.#marks, this.#fresh(1)];
    const taken: number[] = [];
    for (let index = 0; index < members.length; index++) {
      watch?.tick();
      const world = members[index] as number;
      const end = ranges[2 * world + 1] as number;
      for (let edge = ranges[2 * world] as number; edge < end; edge++) {
        const one = this.of(edge);
        if (one < 0 || marks[one] === mark || !has(targets[edge] as number)) continue;
        marks[one] = mark;
        taken.push(one);
      }
    }
    return taken;
  }

  /** The classes, other than `taken`, that are enabled in some of the worlds. */
  enabledIn(worlds: Int32Array, taken: readonly number[]): readonly number[] {
    const { ranges, watch } = this.graph;
    const [marks, mark] = [this.#marks, this.#fresh(1)];
    for (const one of taken) marks[one] = mark;
    const enabled: number[] = [];
    for (let index = 0; index < worlds.length; index++) {
      watch?.tick();
      const world = worlds[index] as number;
      const end = ranges[2 * world + 1] as number;
      for (let edge = ranges[2 * world] as number; edge < end; edge++) {
        const one = this.of(edge);
        if (one < 0 || marks[one] === mark) continue;
        marks[one] = mark;
        enabled.push(one);
      }
    }
    return enabled;
  }

  /** Whether some class, other than `taken`, is enabled in each of the worlds. */
  isSomeAlwaysEnabled(worlds: Int32Array, taken: readonly number[]): boolean {
    const { ranges, watch } = this.graph;
    const marks = this.#marks;
    const before = this.#fresh(worlds.length + 2);
    for (const one of this.enabledIn(worlds.subarray(0, 1), taken)) marks[one] = before;
    for (let index = 0; index < worlds.length; index++) {
      watch?.tick();
      const world = worlds[index] as number;
      const mark = before + index; // of a class that is enabled in all worlds before this one
      const end = ranges[2 * world + 1] as number;
      let isSome = false;
      for (let edge = ranges[2 * world] as number; edge < end; edge++) {
        const one = this.of(edge);
        if (one < 0 || marks[one] !== mark) continue;
        marks[one] = mark + 1;
        isSome = true;
      }
      if (!isSome) return false;
    }
    return true;
  }

  /** The first of `count` marks that no class has. */
  #fresh(count: number): number {
    if (this.#mark > 2 ** 30) {
      this.#marks.fill(0);
      this.#mark = 0;
    }
    const first = this.#mark + 1;
    this.#mark += count;
    return first;
  }
}
