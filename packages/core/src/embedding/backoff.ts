/**
 * How long a transport waits before it tries again to reach a peer or a server. Each wait is twice
 * as long as the one before, and shortened by up to a half at random: nodes that lost a server at
 * once must not come back at once.
 *
 * @example const backoff = new Backoff(50, 1000); setTimeout(connect, backoff.next());
 */
export class Backoff {
  #wait: number;

  /** @param least the first wait, in milliseconds; @param most the longest one */
  constructor(
    private readonly least: number,
    private readonly most: number,
  ) {
    this.#wait = least;
  }

  /** In milliseconds. */
  next(): number {
    const wait = this.#wait;
    this.#wait = Math.min(2 * wait, this.most);
    return wait * (0.5 + Math.random() / 2);
  }

  /** After a success. */
  reset(): void {
    this.#wait = this.least;
  }
}
