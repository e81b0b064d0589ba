/** The explored worlds as a graph: who follows whom by which action. Grows while the search runs. */
export class Graph {
  /** By world: where its edges begin; one more entry than worlds that were expanded. */
  #starts = new Int32Array(1024);
  #targets = new Int32Array(4096);
  #actions = new Int32Array(4096);
  #worlds = 0;
  #edges = 0;

  /** How many worlds have their edges here. */
  get worlds(): number {
    return this.#worlds;
  }

  get edges(): number {
    return this.#edges;
  }

  get bytes(): number {
    return 4 * (this.#starts.length + this.#targets.length + this.#actions.length);
  }

  /** Adds an edge of the world that is being expanded; worlds are expanded in the order of their numbers. */
  edge(target: number, action: number): void {
    if (this.#edges === this.#targets.length) {
      this.#targets = doubled(this.#targets);
      this.#actions = doubled(this.#actions);
    }
    this.#targets[this.#edges] = target;
    this.#actions[this.#edges++] = action;
  }

  /** The world being expanded has no more edges. */
  expanded(): void {
    if (this.#worlds + 2 > this.#starts.length) this.#starts = doubled(this.#starts);
    this.#starts[++this.#worlds] = this.#edges;
  }

  first(world: number): number {
    return this.#starts[world] as number;
  }

  /** The end of the edges of `world`: they are `first(world)` … `end(world)` − 1. */
  end(world: number): number {
    return this.#starts[world + 1] as number;
  }

  target(edge: number): number {
    return this.#targets[edge] as number;
  }

  action(edge: number): number {
    return this.#actions[edge] as number;
  }
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(2 * array.length);
  wider.set(array);
  return wider;
}
