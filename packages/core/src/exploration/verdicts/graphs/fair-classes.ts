import { enlarge } from '../../search/kernel/enlarge.js';
import type { Graph } from '../../search/traversal/graph.js';
import type { Component } from './components.js';

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
