/** Worlds that were found and are not yet expanded. */
export interface Waiting {
  /** Adds a world that was found from the one {@link next} returned last. */
  found(world: number): void;
  /** Whether all found worlds must be added before the call of {@link next}. */
  readonly needsLookUp: boolean;
  /** The world to expand; −1 when none is left. */
  next(): number;
  /** The distance from the initial world of the one `next` returned last. */
  readonly depth: number;
  /** The largest depth so far. */
  readonly deepest: number;
  /** The largest number of worlds that waited at one time. */
  readonly width: number;
}

/** First in, first out: worlds are expanded layer by layer, in the order of their numbers. */
export class Queue implements Waiting {
  /** −1 before the first call of `next`. */
  depth = -1;
  width = 0;
  #next = 0;
  #end = 0;
  /** The first world of the next layer. */
  #layer = 0;

  get deepest(): number {
    return Math.max(0, this.depth);
  }

  get needsLookUp(): boolean {
    return this.#next === this.#layer || this.#next === this.#end;
  }

  found(): void {
    this.#end++;
    this.width = Math.max(this.width, this.#end - this.#next);
  }

  next(): number {
    if (this.#next === this.#end) return -1;
    if (this.#next === this.#layer) {
      this.depth++;
      this.#layer = this.#end;
    }
    return this.#next++;
  }
}

/** Last in, first out. */
export class Stack implements Waiting {
  depth = -1;
  deepest = 0;
  width = 0;
  readonly needsLookUp = true;
  readonly #worlds: number[] = [];
  readonly #depths: number[] = [];

  found(world: number): void {
    this.#worlds.push(world);
    this.#depths.push(this.depth + 1);
    this.width = Math.max(this.width, this.#worlds.length);
  }

  next(): number {
    this.depth = this.#depths.pop() ?? this.depth;
    this.deepest = Math.max(this.deepest, this.depth);
    return this.#worlds.pop() ?? -1;
  }
}
