import type { Message } from '../protocol/node.js';

/** An acknowledgement, and when the first frame that it answers was sent. */
type Sends = (acknowledgement: Message, stamp: number | null) => void;

/**
 * Sends one acknowledgement for all frames that arrive together: the newest, which says all that
 * the earlier ones say. To the machines of the link, the others are lost. It echoes the time of the
 * first frame, so that the peer also measures what the others waited (RFC 7323, 4.3).
 */
export class LatestAcknowledgement {
  #held: { acknowledgement: Message; readonly stamp: number | null } | undefined;

  /** @param soon runs its argument after what has arrived together with the first frame */
  constructor(
    private readonly send: Sends,
    private readonly soon: (run: () => void) => void,
  ) {}

  put(acknowledgement: Message, stamp: number | null): void {
    if (this.#held) this.#held.acknowledgement = acknowledgement;
    else {
      this.#held = { acknowledgement, stamp };
      this.soon(() => this.flush());
    }
  }

  /** Sends it now. */
  flush(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.send(held.acknowledgement, held.stamp);
  }
}
