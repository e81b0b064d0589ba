import type { Frame } from '../channel/reliable/link.js';

/** An acknowledgement, and when the first frame that it answers was sent. */
type Sends = (acknowledgement: Acknowledgement, stamp: number | null) => void;

/** An acknowledgement that waits. */
export interface Held {
  acknowledgement: Acknowledgement;
  readonly stamp: number | null;
}

type Acknowledgement = Extract<Frame, { readonly type: 'ack' }>;

/**
 * Sends one acknowledgement for all frames that arrive together: the newest, which says all that
 * the earlier ones say. To the machines of the link, the others are lost. It echoes the time of the
 * first frame, so that the peer also measures what the others waited (RFC 7323, 4.3).
 */
export class LatestAcknowledgement {
  #held: Held | undefined;

  /** @param soon runs its argument after what has arrived together with the first frame */
  constructor(
    private readonly send: Sends,
    private readonly soon: (run: () => void) => void,
  ) {}

  put(acknowledgement: Acknowledgement, stamp: number | null): void {
    if (this.#held) this.#held.acknowledgement = acknowledgement;
    else {
      this.#held = { acknowledgement, stamp };
      this.soon(() => this.flush());
    }
  }

  /** The one that waits, if it is of the same session as `frame`, which carries it. */
  takeFor(frame: Frame): Held | undefined {
    const held = this.#held;
    if (held?.acknowledgement.addressed !== frame.addressed) return undefined;
    this.#held = undefined;
    return held;
  }

  /** Sends it now. */
  flush(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.send(held.acknowledgement, held.stamp);
  }
}
