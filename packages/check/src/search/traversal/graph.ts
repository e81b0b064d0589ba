import { enlarge } from '../kernel/kernel-memory.js';
import type { Watch } from '../limits/limits.js';

/**
 * The explored worlds as a graph with the actions as edges. Grows during the search. Hot loops read
 * {@link ranges}, {@link targets} and {@link actions} and tick {@link watch} by themselves.
 */
export class Graph {
  #ranges = new Int32Array(2048);
  #targets = new Int32Array(4096);
  #actions = new Int32Array(4096);
  #worlds = 0;
  #edges = 0;
  #last = -1;
  #leadsBack = false;
  /**
   * Algorithms on the graph tick it, at least once for each world whose edges they read: they keep
   * to the limits as well.
   */
  watch: Watch | undefined;

  /**
   * Larger than the number of every world that was expanded or that an edge leads to; a search that
   * ends early leaves worlds unexpanded.
   */
  get worlds(): number {
    return this.#worlds;
  }

  /** Whether an edge leads to the same or an earlier world: every cycle has one. */
  get leadsBack(): boolean {
    return this.#leadsBack;
  }

  get edges(): number {
    return this.#edges;
  }

  get bytes(): number {
    return 4 * (this.#ranges.length + this.#targets.length + this.#actions.length);
  }

  /**
   * By world: at 2 · world where its edges begin, at 2 · world + 1 where they end. Another array
   * once the graph has grown; it may be longer than needed.
   */
  get ranges(): Int32Array {
    this.#reserve(this.#worlds);
    return this.#ranges;
  }

  /** By edge: the world that it leads to. */
  get targets(): Int32Array {
    return this.#targets;
  }

  /** By edge: its action. */
  get actions(): Int32Array {
    return this.#actions;
  }

  /** A world, with no edges yet. */
  begin(world: number): void {
    this.#last = world;
    this.#reserve(world + 1);
    this.#ranges[2 * world] = this.#edges;
    this.#ranges[2 * world + 1] = this.#edges;
    this.#worlds = Math.max(this.#worlds, world + 1);
  }

  /** Adds an edge. The edges of one world must be added consecutively. */
  edge(world: number, target: number, action: number): void {
    if (world !== this.#last) {
      if (this.#hasEdges(world))
        throw new Error(`unreachable: the edges of world ${world} are added consecutively`);
      this.begin(world);
    }
    if (this.#edges === this.#targets.length) {
      this.#targets = enlarge(this.#targets);
      this.#actions = enlarge(this.#actions);
    }
    this.#worlds = Math.max(this.#worlds, target + 1);
    if (target <= world) this.#leadsBack = true;
    this.#targets[this.#edges] = target;
    this.#actions[this.#edges++] = action;
    this.#ranges[2 * world + 1] = this.#edges;
  }

  /**
   * Adds edges of consecutive worlds: `degrees` of each, from `world` on, whose first ones may be
   * there already.
   */
  append(world: number, degrees: Int32Array, targets: Int32Array, actions: Int32Array): void {
    while (this.#edges + targets.length > this.#targets.length) {
      this.#targets = enlarge(this.#targets);
      this.#actions = enlarge(this.#actions);
    }
    this.#targets.set(targets, this.#edges);
    this.#actions.set(actions, this.#edges);
    this.#reserve(world + degrees.length);
    const ranges = this.#ranges;
    const edges = this.#edges;
    let [worlds, place] = [this.#worlds, 0];
    for (let index = 0; index < degrees.length; index++) {
      const source = world + index;
      if (source !== this.#last) ranges[2 * source] = edges + place;
      if (source >= worlds) worlds = source + 1;
      for (const end = place + (degrees[index] as number); place < end; place++) {
        const target = targets[place] as number;
        if (target >= worlds) worlds = target + 1;
        if (target <= source) this.#leadsBack = true;
      }
      ranges[2 * source + 1] = edges + place;
      this.#last = source;
    }
    this.#edges = edges + place;
    this.#worlds = worlds;
  }

  #hasEdges(world: number): boolean {
    return (
      2 * world + 1 < this.#ranges.length && this.#ranges[2 * world] !== this.#ranges[2 * world + 1]
    );
  }

  #reserve(worlds: number): void {
    while (2 * worlds > this.#ranges.length) this.#ranges = enlarge(this.#ranges);
  }

  first(world: number): number {
    this.watch?.tick();
    return this.#ranges[2 * world] as number;
  }

  /** The end of the edges of `world`: they are `first(world)` … `end(world)` − 1. */
  end(world: number): number {
    return this.#ranges[2 * world + 1] as number;
  }

  target(edge: number): number {
    return this.#targets[edge] as number;
  }

  action(edge: number): number {
    return this.#actions[edge] as number;
  }
}
