import type { Frame } from '../channel/reliable/link.js';
import type { Message, NodeId, Received } from '../protocol/node.js';
import { isRecord } from './transport.js';

/** A frame as a machine sent it, and the time that it carries. */
export type Arrival = { readonly stamp: number | null } & (
  | { readonly isKnown: true; readonly frame: Received<Message> }
  /** Still to be checked. */
  | { readonly isKnown: false; readonly frame: unknown }
);

/** What arrived as one. */
interface Arrivals {
  /** The one that a data frame carries. */
  readonly acknowledgement?: Arrival;
  readonly frame: Arrival;
}

export const stamped = (frame: Frame, stamp: number | null): Frame & { stamp: number | null } =>
  Object.assign({}, frame, { stamp });

/** `next` and `echo` of a data frame: the acknowledgement that it carries. */
export const withAcknowledgement = (data: Message, held: Held | undefined): Message =>
  held ? Object.assign(data, { next: held.acknowledgement.next, echo: held.stamp }) : data;

/**
 * The frames that arrived as one from `peer`. What is no frame stays as it is, and the link refuses
 * it. The payload is not looked at: it is a message of somebody else, who checks it.
 */
export function framesIn(message: unknown, from: NodeId): Arrivals {
  if (!isRecord(message)) return unknownFrame(message, null);
  const { type, incarnation, addressed, seq, payload, next, stamp, echo } = message;
  const time = numberIn(stamp);
  const isAddressed = isWhole(incarnation) && isWhole(addressed) && stamp !== undefined;
  const count = Object.keys(message).length;
  const isData = type === 'data' && isWhole(seq) && payload !== undefined;
  if (isAddressed && isData && (next === undefined ? count === 6 : count === 8 && isWhole(next))) {
    const data = { type, incarnation, addressed, seq, payload, from };
    const frame: Arrival = { frame: data, stamp: time, isKnown: true };
    if (next === undefined) return { frame };
    const ack = { type: 'ack', incarnation, addressed, next, from };
    return { frame, acknowledgement: { frame: ack, stamp: numberIn(echo), isKnown: true } };
  }
  if (isAddressed && type === 'ack' && isWhole(next) && count === 5) {
    const ack = { type, incarnation, addressed, next, from };
    return { frame: { frame: ack, stamp: time, isKnown: true } };
  }
  const { stamp: _, ...rest } = message;
  return unknownFrame(rest, time);
}

const unknownFrame = (frame: unknown, stamp: number | null): Arrivals => ({
  frame: { frame, stamp, isKnown: false },
});

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/** The incarnation of this node that a frame is for; 0 while the peer knows none. */
export const addressedBy = (frame: unknown): number =>
  isRecord(frame) && typeof frame.addressed === 'number' ? frame.addressed : 0;

/**
 * Whether it acknowledges a frame of this incarnation: the stamps of another one may come from
 * another clock.
 */
export const answers = (frame: unknown, incarnation: number): boolean =>
  isRecord(frame) && 'next' in frame && frame.addressed === incarnation;

/** An acknowledgement, and when the first frame that it answers was sent. */
type Sends = (acknowledgement: Acknowledgement, stamp: number | null) => void;

/** An acknowledgement that waits. */
interface Held {
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
