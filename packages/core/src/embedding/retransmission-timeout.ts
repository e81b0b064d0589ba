/**
 * Milliseconds that a timer may be off: browsers round nested timers up to 4. RFC 6298 calls it G.
 */
const granularity = 5;

/** Bounds of a retransmission timeout, in milliseconds. */
export interface TimeoutOptions {
  /** The timeout until a round trip has been measured. */
  readonly first: number;
  readonly least: number;
  readonly most: number;
}

/**
 * The retransmission timeout of one end of a link (RFC 6298): the smoothed round trip plus four
 * times its variation. Each timeout doubles it until the next measurement. Acknowledgements echo
 * the time of the frame that they answer (RFC 7323), so repeated frames are measured, too: Karn's
 * rule, which leaves those out, is for links that cannot tell which copy is answered.
 */
export class RetransmissionTimeout {
  /** How long to wait for an acknowledgement, in milliseconds. */
  current: number;
  #smoothed: number | undefined;
  #variation = 0;

  constructor(private readonly options: TimeoutOptions) {
    this.current = options.first;
  }

  /** A frame was acknowledged `roundTrip` ms after it was sent. */
  measured(roundTrip: number): void {
    this.#variation =
      this.#smoothed === undefined
        ? roundTrip / 2
        : 0.75 * this.#variation + 0.25 * Math.abs(this.#smoothed - roundTrip);
    this.#smoothed =
      this.#smoothed === undefined ? roundTrip : 0.875 * this.#smoothed + 0.125 * roundTrip;
    const timeout = this.#smoothed + Math.max(granularity, 4 * this.#variation);
    this.current = Math.min(Math.max(timeout, this.options.least), this.options.most);
  }

  /** Backs off: no acknowledgement came in time. */
  expired(): void {
    this.current = Math.max(this.current, Math.min(2 * this.current, this.options.most));
  }
}
