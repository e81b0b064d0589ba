import type { Graph } from '../../search/traversal/graph.js';
import type { Component } from './components.js';

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
