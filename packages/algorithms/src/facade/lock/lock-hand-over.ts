import type { Timers } from '../time-of.js';

/** The wait of a node that leaves, until no other node waits for it. */
export class HandOver {
  #free: (() => void) | undefined;

  constructor(
    private readonly clock: Timers,
    private readonly within: number,
  ) {}

  /** Resolves when it is free, or after the time limit. */
  wait(): Promise<void> {
    if (this.within === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.clock.setTimeout(() => this.free(), this.within);
      this.#free = () => {
        this.#free = undefined;
        this.clock.clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The node is not involved any longer. */
  free(): void {
    this.#free?.();
  }
}
