import type { Message, NodeId } from '@conclave/core/protocol';

/** A message that was sent. */
export interface Sent {
  readonly from: NodeId;
  readonly to: NodeId;
  /** Its text. */
  readonly call: string;
  /** As histories label it. */
  readonly message: Message;
  /** The event of the sender, as the judge numbers them. */
  readonly event: number;
  /** See `past` of the judge. */
  readonly past: readonly number[];
  /** The event of the first receipt. */
  received?: number;
}

/** What one incarnation of a node sent on one link. */
interface Stream {
  sent: number;
  /** By number: what has not arrived. */
  readonly waiting: Map<number, Sent>;
  /** By number, kept only where messages may arrive twice. */
  readonly arrived: Map<number, Sent>;
  /** By incarnation of the receiver: the smallest and the largest number that it received. */
  readonly receipts: Map<number, { least: number; most: number }>;
}

/** What was found about a receipt. */
export type Receipt =
  | { readonly kind: 'received'; readonly sent: Sent; readonly isLate: boolean }
  | { readonly kind: 'again'; readonly sent: Sent | undefined }
  /** Its sending has not been seen. */
  | { readonly kind: 'unseen' };

/** Joins sendings and receipts by the numbers of the links. */
export class Links {
  /** By link and incarnation of the sender. */
  readonly #streams = new Map<string, Stream>();
  sent = 0;
  delivered = 0;
  doubled = 0;
  reordered = 0;
  /** Received without a number. */
  unnumbered = 0;

  /** @param keeps whether messages may arrive twice */
  constructor(private readonly keeps: boolean) {}

  send(incarnation: number, number: number, sent: Sent): void {
    const stream = this.#stream(sent.from, sent.to, incarnation);
    this.sent++;
    stream.sent = number;
    stream.waiting.set(number, sent);
  }

  /** What a receipt of this label would be. */
  look(from: NodeId, to: NodeId, [incarnation, number]: Label, receiver: number): Receipt {
    const stream = this.#stream(from, to, incarnation);
    const sent = stream.waiting.get(number);
    if (sent)
      return {
        kind: 'received',
        sent,
        isLate: number < (stream.receipts.get(receiver)?.most ?? 0),
      };
    return number <= stream.sent
      ? { kind: 'again', sent: stream.arrived.get(number) }
      : { kind: 'unseen' };
  }

  /** Notes a receipt. */
  receive(
    from: NodeId,
    to: NodeId,
    [incarnation, number]: Label,
    receiver: number,
    receipt: Receipt,
  ): void {
    const stream = this.#stream(from, to, incarnation);
    const seen = stream.receipts.get(receiver);
    if (seen) {
      seen.least = Math.min(seen.least, number);
      seen.most = Math.max(seen.most, number);
    } else stream.receipts.set(receiver, { least: number, most: number });
    if (receipt.kind === 'again') {
      this.doubled++;
      return;
    }
    this.delivered++;
    if (receipt.kind === 'unseen') return;
    stream.waiting.delete(number);
    if (this.keeps) stream.arrived.set(number, receipt.sent);
    if (receipt.isLate) this.reordered++;
  }

  /**
   * The messages that did not arrive. `lost`: a later one of the link did, at an incarnation of the
   * receiver that was up before.
   */
  *missing(
    firstOf: (node: NodeId) => number,
  ): Generator<{ readonly sent: Sent; readonly number: number; readonly isLost: boolean }> {
    for (const { waiting, receipts } of this.#streams.values()) {
      for (const [number, sent] of waiting) {
        const first = firstOf(sent.to);
        const isLost = [...receipts].some(
          ([receiver, { least, most }]) => number < most && (receiver === first || least < number),
        );
        yield { sent, number, isLost };
      }
    }
  }

  #stream(from: NodeId, to: NodeId, incarnation: number): Stream {
    const key = `${from} ${to} ${incarnation}`; // ids hold no spaces
    const known = this.#streams.get(key);
    if (known) return known;
    const made: Stream = {
      sent: 0,
      waiting: new Map(),
      arrived: new Map(),
      receipts: new Map(),
    };
    this.#streams.set(key, made);
    return made;
  }
}

/** Incarnation of the sender, and number on its link. */
export type Label = readonly [incarnation: number, number: number];

export const labelFrom = (text: string): Label => {
  const dot = text.indexOf('.');
  return [Number(text.slice(0, dot)), Number(text.slice(dot + 1))];
};
