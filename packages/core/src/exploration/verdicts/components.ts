import type { Graph } from '../search/graph.js';

/** A strongly connected component: each of its worlds reaches every other one within it. */
export interface Component {
  readonly members: Int32Array;
  readonly has: (world: number) => boolean;
}

/** Strongly connected components of parts of a graph (Tarjan 1972), without recursion; linear in worlds and edges. */
export class Components {
  /** By world: the part of the graph that it belongs to, 0 for none. Each yielded component becomes a part of its own. */
  readonly #part: Int32Array;
  /** By world: the order of entry, from 1. */
  readonly #entered: Int32Array;
  /** By world: the earliest world on the stack that it reaches. */
  readonly #low: Int32Array;
  /** By world: the next edge to follow. */
  readonly #next: Int32Array;
  readonly #onStack: Uint8Array;
  #parts = 0;

  constructor(private readonly graph: Graph) {
    this.#part = new Int32Array(graph.worlds);
    this.#entered = new Int32Array(graph.worlds);
    this.#low = new Int32Array(graph.worlds);
    this.#next = new Int32Array(graph.worlds);
    this.#onStack = new Uint8Array(graph.worlds);
  }

  /** The components of `worlds` that contain a cycle. A caller may decompose one further before it takes the next. */
  *cycles(worlds: Int32Array): Generator<Component> {
    const { graph } = this;
    const part = ++this.#parts;
    for (const world of worlds) {
      this.#part[world] = part;
      this.#entered[world] = 0;
    }
    const stack = new Int32Array(worlds.length);
    const calls = new Int32Array(worlds.length);
    let stacked = 0;
    let called = 0;
    let clock = 0;
    const enter = (world: number) => {
      this.#entered[world] = this.#low[world] = ++clock;
      this.#next[world] = graph.first(world);
      this.#onStack[world] = 1;
      stack[stacked++] = world;
      calls[called++] = world;
    };
    for (const root of worlds) {
      if (this.#part[root] !== part || this.#entered[root] !== 0) continue;
      enter(root);
      while (called > 0) {
        const world = calls[called - 1] as number;
        const edge = this.#next[world] as number;
        if (edge < graph.end(world)) {
          this.#next[world] = edge + 1;
          const target = graph.target(edge);
          if (this.#part[target] !== part) continue;
          if (this.#entered[target] === 0) enter(target);
          else if (this.#onStack[target] === 1) this.#lower(world, this.#entered[target] as number);
          continue;
        }
        called--;
        if (called > 0) this.#lower(calls[called - 1] as number, this.#low[world] as number);
        if (this.#low[world] !== this.#entered[world]) continue;
        const end = stacked;
        let member = -1;
        while (member !== world) {
          member = stack[--stacked] as number;
          this.#onStack[member] = 0;
        }
        if (end - stacked > 1 || this.#loopsToItself(world)) yield this.#component(stack.slice(stacked, end));
      }
    }
  }

  #component(members: Int32Array): Component {
    const part = ++this.#parts;
    for (const member of members) this.#part[member] = part;
    return { members, has: (world) => this.#part[world] === part };
  }

  #lower(world: number, entered: number): void {
    if (entered < (this.#low[world] as number)) this.#low[world] = entered;
  }

  #loopsToItself(world: number): boolean {
    for (let edge = this.graph.first(world); edge < this.graph.end(world); edge++) if (this.graph.target(edge) === world) return true;
    return false;
  }
}
