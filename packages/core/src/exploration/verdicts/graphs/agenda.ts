/**
 * Worlds to visit, each once at a time, in sweeps by ascending number: after a breadth-first search
 * few edges lead back.
 */
export class Agenda {
  /** By world: 1 if it is to be visited. */
  readonly #open: Uint8Array;
  #at = -1;

  constructor(worlds: number) {
    this.#open = new Uint8Array(worlds);
  }

  add(world: number): void {
    this.#open[world] = 1;
  }

  /** Removes and returns the next world, the lowest one after the highest; −1 if there is none. */
  next(): number {
    const open = this.#open;
    let at = this.#at + 1;
    if (open[at] !== 1) {
      at = open.indexOf(1, at);
      if (at < 0) at = open.indexOf(1);
    }
    if (at >= 0) open[at] = 0;
    this.#at = at;
    return at;
  }
}
